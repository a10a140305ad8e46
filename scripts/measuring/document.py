"""Puts measured figures into the documentation."""

from measuring.servers import ROOT

CATALOG = ROOT / "Sources/ACCAudioRecorder/ACCAudioRecorder.docc"


def publish(article, target, table):
    """Replaces the text between the markers of a make target in an article."""
    document = CATALOG / article
    begin, end = f"<!-- make {target}: begin -->", f"<!-- make {target}: end -->"
    before, found_begin, rest = document.read_text().partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise ValueError(f"{article} has no place for the table: {begin} and {end}")
    document.write_text(f"{before}{begin}\n\n{table}\n\n{end}{after}")
