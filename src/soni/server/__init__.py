"""The assistant over HTTP: JSON, Server-Sent Events, WebSocket, the OpenAI protocol, and a web page.

Needs the extra `server`: pip install 'soni[server]'.
"""

from soni.server.access import Keys, Role, new_key, sign, tenant_secret
from soni.server.app import create_app
from soni.server.settings import ServerSettings

__all__ = ["Keys", "Role", "ServerSettings", "create_app", "new_key", "sign", "tenant_secret"]
