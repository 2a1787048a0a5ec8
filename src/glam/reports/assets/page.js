"use strict";
// One button starts and stops every film; films out of sight rest, so that a page with many of them stays quick.
document.addEventListener("DOMContentLoaded", () => {
  const films = [...document.querySelectorAll(".film video")];
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
