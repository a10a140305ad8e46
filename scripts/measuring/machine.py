"""Describes the machine that was measured on."""

import os
import pathlib
import platform


def description():
    """The processor, cores, kernel and distribution, but no host name."""
    cpu = pathlib.Path("/proc/cpuinfo").read_text().split("model name", 1)[-1].split(":", 1)[-1].split("\n", 1)[0]
    kernel = ".".join(platform.release().split("-")[0].split(".")[:2])
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    return {"cpu": cpu.strip(), "cores": os.cpu_count(), "kernel": f"{platform.system()} {kernel}", "system": system}


def sentence(results):
    """A sentence that says where and when the results were measured."""
    return f"Measured on {results['date']} on {place(results)}."


def place(results):
    """Where the results were measured."""
    machine = results["machine"]
    return f"{machine['cpu']} with {machine['cores']} cores, {machine['kernel']}, {machine['system']}"
