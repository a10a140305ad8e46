"""The table of figures."""

COLUMNS = ["accrec best", "accrec medium", "accrec fastest", "SoX rate -v", "ffmpeg soxr 28"]
COLUMNS += ["parecord", "pw-record", "pw-record -q 15"]
ROWS = [
    ("signal to noise and distortion, dB", lambda figures: f"{figures.sinad:.1f}"),
    ("deviation up to 90 % of the band, dB", lambda figures: f"{figures.pass_band:.3f}"),
    ("3 dB down at, % of the band", lambda figures: f"{100 * figures.half_power:.1f}"),
    ("strongest image or alias, dB", lambda figures: f"{figures.unwanted:.1f}"),
    ("the same below 90 % of the band, dB", lambda figures: f"{figures.unwanted_in_band:.1f}"),
]


def markdown(results, versions):
    """The table in Markdown. `results` has, for each pair of rates and column, figures or the reason why there are
    none."""
    lines = ["| kHz | measure | " + " | ".join(COLUMNS) + " |", "|---|---|" + "---|" * len(COLUMNS)]
    for (source, target), by_column in results.items():
        for index, (measure, text) in enumerate(ROWS):
            values = (by_column[column] for column in COLUMNS)
            cells = [value if isinstance(value, str) else text(value) for value in values]
            pairing = f"{source / 1000:g} to {target / 1000:g}" if index == 0 else ""
            lines.append(f"| {pairing} | {measure} | " + " | ".join(cells) + " |")
    return "\n".join(lines + ["", "Measured with " + ", ".join(versions) + "."])
