"use strict";
// One button starts and stops every film; films out of sight rest, so that a page with many of them stays quick.
document.addEventListener("DOMContentLoaded", () => {
  const films = [...document.querySelectorAll(".film video")];
  // Controls cover a third of a small film: they show only where someone points, and a mark says that it can be played.
  for (const film of films) {
    const show = (shown) => () => { film.controls = shown; };
    show(false)();
    for (const kind of ["pointerenter", "focus", "pointerdown"]) film.addEventListener(kind, show(true));
    for (const kind of ["pointerleave", "blur"]) film.addEventListener(kind, show(false));
    const mark = () => film.parentElement.classList.toggle("resting", film.paused);
    for (const kind of ["play", "pause"]) film.addEventListener(kind, mark);
    film.tabIndex = 0;
    mark();
  }
  const button = document.querySelector(".films-all");
  if (!button || films.length === 0) return;
  let playing = false;
  const inSight = new Set();
  const start = (film) => film.play().catch(() => {});
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) inSight.add(target); else inSight.delete(target);
      if (!isIntersecting) target.pause(); else if (playing) start(target);
    }
  });
  films.forEach((film) => watcher.observe(film));
  button.hidden = false;
  button.addEventListener("click", () => {
    playing = !playing;
    button.textContent = playing ? "Stop all films" : "Play all films";
    films.forEach((film) => { if (playing && inSight.has(film)) start(film); else film.pause(); });
  });
});
// A link into something folded opens it, also where the browser would not.
const unfold = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  if (target && target.closest("details")) target.scrollIntoView();
};
addEventListener("hashchange", unfold);
addEventListener("DOMContentLoaded", unfold);
