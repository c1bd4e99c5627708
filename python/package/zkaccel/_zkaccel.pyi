# The types of the compiled module, compared with it by mypy's stubtest (check.sh). Documentation is in the docstrings.

from collections.abc import Iterable, Sequence
from typing import Any, Literal, SupportsIndex, final, overload

from ._types import CudaArray, File, Json, OperationWork, Point, Words

__all__ = [
    "CONVENTIONS",
    "CURVES",
    "FIELDS",
    "HASHES",
    "MODULUS",
    "Bases",
    "Commitment",
    "Device",
    "DeviceMatrix",
    "Engine",
    "Opening",
    "Prover",
    "Ranks",
    "RanksCommitment",
    "__version__",
    "default_engine",
    "devices",
    "generator_multiples",
    "groth16_verify",
    "verify",
]

CONVENTIONS: list[str]
CURVES: tuple[str, ...]
FIELDS: tuple[str, ...]
HASHES: tuple[str, ...]
MODULUS: int
__version__: str

@final
class Device:
    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def units(self) -> int: ...
    @property
    def memory(self) -> int | None: ...
    @property
    def driver(self) -> str | None: ...
    @property
    def reason(self) -> str: ...

@final
class DeviceMatrix:
    @property
    def field(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def fortran(self) -> bool: ...
    @property
    def on_host(self) -> bool: ...
    def download(self, *, canonical: bool = False) -> Words: ...
    def view(self) -> Words: ...
    def rows(self, indices: Iterable[SupportsIndex]) -> Words: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

@final
class Bases:
    @property
    def curve(self) -> str: ...
    def __len__(self) -> int: ...

@final
class Opening:
    @property
    def hash(self) -> str: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def indices(self) -> list[int]: ...
    @property
    def values(self) -> Words: ...
    @property
    def siblings(self) -> list[str]: ...
    def to_dict(self) -> dict[str, Any]: ...
    @staticmethod
    def from_dict(dict: dict[str, Any]) -> Opening: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class Commitment:
    @property
    def root(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def blowup(self) -> int: ...
    def open(self, rows: Iterable[SupportsIndex]) -> Opening: ...
    def verify(self, opening: Opening) -> bool: ...
    def extension(self) -> Words: ...
    def device_extension(self) -> DeviceMatrix: ...
    def device_cosets(self) -> list[DeviceMatrix]: ...

@final
class Engine:
    def __new__(
        cls,
        device: str | list[str] | None = None,
        *,
        policy: str = "any",
        threads: int | None = None,
        memory: int | None = None,
        device_memory: int | None = None,
        check: bool = False,
        approach: str = "auto",
    ) -> Engine: ...
    @property
    def device(self) -> Device: ...
    def work(self) -> dict[str, dict[str, OperationWork]]: ...
    def commit(
        self,
        trace: Words | DeviceMatrix | CudaArray,
        *,
        blowup: SupportsIndex = 8,
        hash: str = "rp64_256",
        convention: str = "winterfell",
        shift: SupportsIndex = 7,
    ) -> Commitment: ...
    @overload
    def ntt(
        self,
        matrix: DeviceMatrix | CudaArray,
        *,
        shift: SupportsIndex = 1,
        convention: str = "winterfell",
        input_order: Literal["natural", "bit-reversed"] = "natural",
        output_order: Literal["natural", "bit-reversed"] = "natural",
        out: None = None,
    ) -> DeviceMatrix: ...
    @overload
    def ntt(
        self,
        matrix: Words,
        *,
        shift: SupportsIndex = 1,
        convention: str = "winterfell",
        input_order: Literal["natural", "bit-reversed"] = "natural",
        output_order: Literal["natural", "bit-reversed"] = "natural",
        out: Words | None = None,
    ) -> Words: ...
    @overload
    def intt(
        self,
        matrix: DeviceMatrix | CudaArray,
        *,
        shift: SupportsIndex = 1,
        convention: str = "winterfell",
        input_order: Literal["natural", "bit-reversed"] = "natural",
        output_order: Literal["natural", "bit-reversed"] = "natural",
        out: None = None,
    ) -> DeviceMatrix: ...
    @overload
    def intt(
        self,
        matrix: Words,
        *,
        shift: SupportsIndex = 1,
        convention: str = "winterfell",
        input_order: Literal["natural", "bit-reversed"] = "natural",
        output_order: Literal["natural", "bit-reversed"] = "natural",
        out: Words | None = None,
    ) -> Words: ...
    @overload
    def lde(
        self,
        matrix: DeviceMatrix | CudaArray,
        blowup: SupportsIndex = 8,
        *,
        shift: SupportsIndex = 7,
        convention: str = "winterfell",
        output_order: Literal["natural", "bit-reversed"] = "natural",
        out: None = None,
    ) -> DeviceMatrix: ...
    @overload
    def lde(
        self,
        matrix: Words,
        blowup: SupportsIndex = 8,
        *,
        shift: SupportsIndex = 7,
        convention: str = "winterfell",
        output_order: Literal["natural", "bit-reversed"] = "natural",
        out: Words | None = None,
    ) -> Words: ...
    @overload
    def fft(
        self,
        scalars: DeviceMatrix | CudaArray,
        *,
        inverse: bool = False,
        root: str | int | None = None,
        shift: str | int | None = None,
        canonical: Literal[False] = False,
        out: None = None,
    ) -> DeviceMatrix: ...
    @overload
    def fft(
        self,
        scalars: Words,
        *,
        inverse: bool = False,
        root: str | int | None = None,
        shift: str | int | None = None,
        canonical: bool = False,
        out: Words | None = None,
    ) -> Words: ...
    def hash_rows(self, matrix: Words | DeviceMatrix | CudaArray, *, hash: str = "rp64_256") -> Words: ...
    def merkle_root(
        self,
        leaves: Words | DeviceMatrix | CudaArray,
        *,
        hash: str = "rp64_256",
        of: Literal["digests", "rows"] = "digests",
    ) -> str: ...
    # A list of points for a batch; which of both it is depends on the shape of the scalars.
    def msm(
        self,
        scalars: Words | DeviceMatrix | Sequence[int],
        bases: Words | Bases | Sequence[Point],
        *,
        curve: str | None = None,
        canonical: bool = False,
        validate: bool = True,
    ) -> Any: ...
    def bases(
        self,
        points: Words | Sequence[Point],
        *,
        curve: str | None = None,
        canonical: bool = False,
        validate: bool = True,
        tables: bool = False,
    ) -> Bases: ...
    def upload(self, matrix: Words | DeviceMatrix | CudaArray, *, field: str = "goldilocks", canonical: bool = False) -> DeviceMatrix: ...

@final
class Prover:
    def __new__(cls, engine: Engine, key: File, *, tables: bool = False, unchecked: bool = False) -> Prover: ...
    @property
    def curve(self) -> str: ...
    @property
    def signals(self) -> int: ...
    @property
    def public_signals(self) -> int: ...
    @property
    def account(self) -> dict[str, int]: ...
    @property
    def verification_key(self) -> dict[str, Any]: ...
    def prove(
        self, witness: File | Words | list[int], *, canonical: bool = False
    ) -> tuple[dict[str, Any], list[str]]: ...
    def prove_batch(
        self, witnesses: Iterable[File | Words | list[int]], *, canonical: bool = False
    ) -> list[tuple[dict[str, Any], list[str]]]: ...
    def verify(self, public: Json, proof: Json) -> bool: ...

@final
class Ranks:
    def __new__(cls, engine: Engine, communicator: int | None, deadline: float) -> Ranks: ...
    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def library(self) -> str: ...
    def use_nccl(self, deadline: float) -> str: ...
    def is_agreed(self, text: str) -> bool: ...
    def shrink(self) -> bool: ...
    def close(self) -> None: ...
    def abort(self, reason: str) -> None: ...
    def rows(self, count: SupportsIndex) -> tuple[int, int]: ...
    def leaves(self, count: SupportsIndex) -> tuple[int, int]: ...
    def commit(
        self, own: Words, rows: SupportsIndex, blowup: SupportsIndex, hash: str, convention: str, shift: SupportsIndex
    ) -> RanksCommitment: ...
    def merkle_root(self, own: Words, count: SupportsIndex, hash: str) -> str: ...
    def ntt(self, own: Words, shift: SupportsIndex, convention: str) -> Words: ...
    def msm(
        self,
        scalars: Words | DeviceMatrix | Sequence[int],
        bases: Words | Bases | Sequence[Point],
        curve: str | None,
        canonical: bool,
        validate: bool,
    ) -> Any: ...

@final
class RanksCommitment:
    @property
    def root(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    def open(self, rows: Iterable[SupportsIndex]) -> Opening: ...
    @property
    def coset_count(self) -> int: ...
    def cosets(self) -> list[tuple[int, Words]]: ...

def default_engine() -> Engine: ...
def devices() -> list[Device]: ...
def generator_multiples(n: SupportsIndex, *, curve: str = "bn254-g1") -> Words: ...
def groth16_verify(verification_key: Json, public: Json, proof: Json) -> bool: ...
def verify(
    opening: Opening, root: str, *, hash: str, rows: SupportsIndex, columns: SupportsIndex
) -> bool: ...
