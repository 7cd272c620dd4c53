"""Numbers that know their unit: floats in base units that print as people write them."""
from __future__ import annotations

_SCALES = {
    "s": ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")),
    "J": ((3.6e12, "GWh"), (3.6e9, "MWh"), (3.6e6, "kWh"), (3600, "Wh"), (1, "J")),
    "g": ((1e3, "kg"), (1, "g")),
    "B": ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")),
}
_FACTORS = {unit: {name: factor for factor, name in scale} for unit, scale in _SCALES.items()}
_FACTORS["s"].update(ps=1e-12, min=60.0, h=3600.0)
_FACTORS["J"].update(kJ=1e3, MJ=1e6, GJ=1e9)
_FACTORS["B"].update(kB=1e3, MB=1e6, GB=1e9, TB=1e12)


class Quantity(float):
    """A float in a base unit (`unit`: "s", "B", "1/s"). Arithmetic gives plain floats.

        >>> Quantity(0.186, "s")
        186 ms
        >>> Quantity(0.186, "s").to("ms")
        186.0
    """

    __slots__ = ("unit",)

    def __new__(cls, value: float, unit: str) -> "Quantity":
        self = super().__new__(cls, value)
        self.unit = unit
        return self

    def __getnewargs__(self):
        return float(self), self.unit

    def to(self, unit: str) -> float:
        """The number in another unit of the same kind: s, ms, us, ns, ps, min, h; B, KiB to TiB, kB to TB;
        J to GJ, Wh to GWh; g, kg."""
        factors = _FACTORS.get(self.unit, {self.unit: 1.0})
        if unit not in factors:
            raise ValueError(f"{self.unit} cannot be given in {unit}; there are: {', '.join(factors)}")
        return float(self) / factors[unit]

    def __str__(self) -> str:
        value, name = float(self), self.unit
        scale = _SCALES.get(self.unit)
        if scale and value:
            factor, name = next((s for s in scale if abs(value) >= s[0]), scale[-1])
            value /= factor
        return f"{value:.3g} {name}" if abs(value) < 999.5 else f"{value:,.0f} {name}"

    __repr__ = __str__

    def __format__(self, form: str) -> str:
        return format(float(self), form) if form else str(self)
