"""The page at `/`: what answers here, and where to go on. Plain HTML, no scripts, nothing from elsewhere."""

from html import escape
from typing import Final

from litestar import MediaType, get

import corral

_PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Corral</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }}
pre {{ background: #8881; padding: 1rem; overflow-x: auto }}</style>
<h1>Corral {version}</h1>
<p>{about} This server is up.</p>
<ul>
<li><a href="/schema/page">The HTTP API</a>, also <a href="/schema">as an OpenAPI document</a></li>
<li><a href="/ready">Whether it is ready</a>, and <a href="/metrics">what it measures</a></li>
</ul>
<p>From a terminal:</p>
<pre>export CORRAL_URL=…    # the address of this page
corral devices --heatmap
corral run RECIPE.yaml --on all --watch
corral --help</pre>
<p>A server with secrets also wants <code>CORRAL_TOKEN</code>. The manual is in <code>docs/</code> of the source.</p>
</html>
"""


@get("/", media_type=MediaType.HTML, include_in_schema=False, sync_to_thread=False)
def get_front() -> str:
    """The page, the same for everybody."""
    return _PAGE.format(version=escape(corral.__version__), about=escape(corral.__doc__ or ""))


HANDLERS: Final = [get_front]
