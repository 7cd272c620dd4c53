"""./dev accuracy papers: tables and figures of the papers that TrainSpec implements, predicted beside what is printed.

    papers --data DIR --source DIR --build DIR [--write PAGE] [--workloads DIR] [PAPER[.FUNCTION]...]

PAPER: moye, simai, triosim, torchsim. A paper is a module here, whose `tables(context)` yields Tables. Rows of the data folder decide which half is judged: a folder with held-back
rows in the same layout is judged the same way. Files that are absent are named and passed over.
"""
import argparse
import importlib
import pathlib
import sys

from context import Context, Missing
from table import page, summary_line, text

PAPERS = {"moye": "Echo and Moye", "triosim": "TrioSim", "simai": "SimAI", "torchsim": "TorchSim"}


def known():
    here = pathlib.Path(__file__).parent
    return [name for name in PAPERS if (here / f"{name}.py").is_file()]


def arguments():
    p = argparse.ArgumentParser(prog="./dev accuracy papers", description=__doc__.splitlines()[0])
    p.add_argument("--data", required=True)
    p.add_argument("--source", required=True)
    p.add_argument("--build", required=True)
    p.add_argument("--write", metavar="PAGE", help="also write the tables as Markdown")
    p.add_argument("--summary", metavar="PAGE", help="also write a line for each table between the marks of doc/papers.md")
    p.add_argument("--workloads", metavar="DIR", help="SimAI's text workloads for simai.closed_forms (aliyun/aicb, workload/simAI/model_workload)")
    p.add_argument("paper", nargs="*", help=f"{', '.join(known())}, or a function of one: moye.table12")
    chosen = p.parse_args()
    for name in chosen.paper:
        if name.partition(".")[0] not in known():
            p.error(f"no paper {name}: {', '.join(known())}")
    return chosen


def tables(context, names):
    """(paper, Table) of all that can be had; what cannot is said. A name is a paper, or a paper and one function of it."""
    for paper in known():
        wanted = [n.partition(".")[2] for n in names if n.partition(".")[0] == paper]
        if names and not wanted:
            continue
        context.wanted = set() if "" in wanted else set(wanted)
        print(f"== {PAPERS[paper]} ==")
        try:
            for table in importlib.import_module(paper).tables(context):
                yield paper, table
        except Missing as e:
            print(f"{paper}: skipped, there is no {e}")


def put_summary(file, lines):
    """Puts the lines between the marks of a page."""
    begin, end = "<!-- tables -->\n", "<!-- end of tables -->\n"
    head, rest = pathlib.Path(file).read_text(encoding="utf-8").split(begin)
    table = "\n| table or figure | rows | error, mean (worst) | theirs | asked |\n|---|---|---|---|---|\n" + "\n".join(lines) + "\n\n"
    pathlib.Path(file).write_text(head + begin + table + end + rest.split(end)[1], encoding="utf-8")


def main():
    chosen = arguments()
    written, lines, last = [], [], None
    for paper, table in tables(Context(chosen.data, chosen.source, chosen.build, chosen.workloads), chosen.paper):
        rows = list(table.rows)
        print("\n".join(text(table, rows)), end="\n\n", flush=True)
        lines.append(summary_line(table, rows))
        if paper != last:
            written.append(f"## {PAPERS[paper]}\n")
        written += page(table, rows)
        last = paper
    if chosen.write:
        pathlib.Path(chosen.write).write_text("\n".join(written) + "\n", encoding="utf-8")
    if chosen.summary:
        put_summary(chosen.summary, lines)


if __name__ == "__main__":
    sys.exit(main())
