"""Counts in the footer of a Parquet file, read without Arrow: of a damaged column it ends the process.

`ColumnChunkMetaData` of pyarrow passes on no error of the C++ library. The footer is a structure in Thrift's compact
protocol (https://github.com/apache/parquet-format): here fields are skipped but for the few that are wanted.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glam.core import files

_TAIL = struct.Struct("<I4s")
_TRUE, _FALSE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 8, 9, 10, 12
_SIZES = {_TRUE: 0, _FALSE: 0, 3: 1, 7: 8}
"""Bytes of booleans, whose value is in the kind, and of bytes and numbers of double precision; others have a length."""
_ROW_GROUPS, _COLUMNS, _META_DATA, _PATH, _NUM_VALUES = 4, 1, 3, 3, 5
_DEEPEST = 16


@dataclass(frozen=True)
class ColumnCount:
    """A column of a row group."""

    path: str
    """Such as `observation.state.list.element`."""
    values: int


def column_counts(path: Path) -> list[list[ColumnCount]]:
    """The columns of each row group; raises ValueError for a footer that is none."""
    try:
        groups = _Compact(_footer(path)).fields({_ROW_GROUPS: _row_group}).get(_ROW_GROUPS, [])
        return [[ColumnCount(*column) for column in group] for group in groups]
    except (IndexError, KeyError, TypeError, struct.error) as error:
        raise ValueError(f"its footer is damaged ({error})") from None


def _footer(path: Path) -> bytes:
    with files.open_plain(path) as file:
        end = file.seek(0, 2)
        file.seek(max(0, end - _TAIL.size))
        length, magic = _TAIL.unpack(file.read(_TAIL.size))
        if magic != b"PAR1" or length > end - _TAIL.size:
            raise ValueError("it has no footer")
        file.seek(end - _TAIL.size - length)
        return file.read(length)


def _row_group(footer: "_Compact") -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = footer.fields({_COLUMNS: _column})[_COLUMNS]
    return found


def _column(footer: "_Compact") -> tuple[str, int]:
    found: tuple[str, int] = footer.fields({_META_DATA: _meta_data})[_META_DATA]
    return found


def _meta_data(footer: "_Compact") -> tuple[str, int]:
    found = footer.fields({_PATH: _Compact.binary, _NUM_VALUES: _Compact.integer})
    return b".".join(found[_PATH]).decode("utf-8", "replace"), found[_NUM_VALUES]


Read = Callable[["_Compact"], Any]


class _Compact:
    """Reader of a structure in Thrift's compact protocol."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at, self._depth = content, 0, 0

    def fields(self, wanted: dict[int, Read]) -> dict[int, Any]:
        """The wanted fields of the structure that begins here; a list gives its items."""
        found, number = dict[int, Any](), 0
        while head := self._byte():
            kind = head & 15
            number = number + (head >> 4) if head >> 4 else self.integer()
            if number not in wanted:
                self._skip(kind)
            elif kind == _LIST:
                found[number] = [wanted[number](self) for _ in range(self._list()[0])]
            else:
                found[number] = wanted[number](self)
        return found

    def integer(self) -> int:
        """A zigzag number."""
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def binary(self) -> bytes:
        """A string."""
        length = self._varint()
        self._at += length
        if self._at > len(self._content):
            raise IndexError("a string is cut")
        return self._content[self._at - length : self._at]

    def _byte(self) -> int:
        self._at += 1
        return self._content[self._at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise IndexError("a number is too long")

    def _list(self) -> tuple[int, int]:
        """Length and kind of the items."""
        head = self._byte()
        length = head >> 4 if head >> 4 < 15 else self._varint()
        if length > len(self._content):
            raise IndexError("a list is too long")
        return length, head & 15

    def _skip(self, kind: int) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise IndexError("it is nested too deeply")
        if kind == _STRUCT:
            self.fields({})
        elif kind in {_LIST, _SET}:
            self._skip_items(*self._list())
        elif kind == _BINARY:
            self.binary()
        elif kind in _SIZES:
            self._at += _SIZES[kind]
        else:
            self._varint()
        self._depth -= 1

    def _skip_items(self, count: int, kind: int) -> None:
        for _ in range(count):
            self._at += 1 if kind in {_TRUE, _FALSE} else 0  # in a list these take a byte
            self._skip(kind)
