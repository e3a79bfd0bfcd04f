"""Jinja2 as chat templates meet it, driven line by line: one JSON command in, one JSON answer out.

{"kind": "render", "cases": [{"template", "context"}], "unfolded"?}  answers {"outcomes": [{"text"} | {"error", "message"}]}
{"kind": "prepare", "cases": [{"template", "context"}]}  compiles the templates and reads the contexts, answers {"texts"}
{"kind": "prepare_compile", "template"}  answers {}
{"kind": "run", "times"}  what was prepared, so many times; answers {"cpu", "wall"}: milliseconds of all times together

`unfolded`: nothing is worked out when the template is compiled, where Jinja2 makes nothing of some errors and raises others
in code that never runs. A template is its text, a context is JSON text (which may hold NaN). Dates are those of `TITO_ORACLE_NOW`, seconds since 1970, else of the clock.
"""
import json
import os
import sys
import time
from datetime import datetime

from jinja2 import nodes
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace, pass_context

NOW = os.environ.get("TITO_ORACLE_NOW")
KEPT = 2000
MEMORY = 4 << 30

try:
    import resource

    # A random template may ask for gigabytes: that is to be an error here, too.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
except (ImportError, OSError, ValueError):
    pass


class Generation(Extension):
    """`{% generation %}`: a block with a scope of its own, whose text stands where it is."""

    tags = {"generation"}

    def parse(self, parser):
        start = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("text_of"), [], [], body, lineno=start)

    def text_of(self, caller):
        return caller()


class Dicts:
    def __call__(self, *args, **named):
        return dict(*args, **named)

    def fromkeys(self, *args, **named):
        return dict.fromkeys(*args, **named)


class GuardedNamespace(Namespace):
    def __init__(*args, **named):
        self, *rest = args
        values = dict(*rest, **named)
        for key in values:
            guard(key)
        Namespace.__init__(self, values)

    def __setitem__(self, key, value):
        guard(key)
        Namespace.__setitem__(self, key, value)


def guard(key):
    if isinstance(key, str) and key[:1] == "_":
        raise SecurityError("a namespace has no names that begin with an underscore")


def raise_exception(message):
    raise TemplateError(message)


def strftime_now(format):
    return (datetime.fromtimestamp(float(NOW)) if NOW else datetime.now()).strftime(format)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


@pass_context
def as_it_is(context, value):
    return value


def environment(**options):
    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols], **options)
    made.filters["tojson"] = tojson
    made.globals.update(raise_exception=raise_exception, strftime_now=strftime_now, dict=Dicts(), namespace=GuardedNamespace)
    return made


usual = environment()
# What is printed cannot be folded either where it goes through a function that wants the context.
unfolded = environment(optimized=False, finalize=as_it_is)
compiled = {}


def template_of(text, environment=usual):
    key = text, environment
    if key not in compiled:
        if len(compiled) > KEPT:
            compiled.clear()
        compiled[key] = environment.from_string(text)
    return compiled[key]


def outcome(case, environment):
    try:
        return {"text": template_of(case["template"], environment).render(**json.loads(case["context"]))}
    except RecursionError:
        return {"error": "RecursionError", "message": ""}
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)[:300]}


def answer(command):
    global work
    kind = command["kind"]
    if kind == "render":
        environment = unfolded if command.get("unfolded") else usual
        return {"outcomes": [outcome(case, environment) for case in command["cases"]]}
    if kind == "prepare":
        ready = [(template_of(case["template"]), json.loads(case["context"])) for case in command["cases"]]
        work = lambda: [template.render(**context) for template, context in ready]
        return {"texts": work()}
    if kind == "prepare_compile":
        work = lambda: usual.from_string(command["template"])
        work()
        return {}
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(command["times"]):
        work()
    return {"cpu": (time.process_time() - cpu) * 1e3, "wall": (time.perf_counter() - wall) * 1e3}


for line in sys.stdin:
    try:
        reply = answer(json.loads(line))
    except Exception as error:
        reply = {"failed": f"{type(error).__name__}: {error}"}
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()
