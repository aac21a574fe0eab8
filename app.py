"""The desk. Run it with `streamlit run app.py`; see README.md.

The file is both: imported by the server it is the hardened ASGI application, run for a session it is the frame.
"""

from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.widgets import frame, server

if get_script_run_ctx(suppress_warning=True) is None:
    app = server.build_app(__file__)
else:
    frame.run_page()
