"""The address that a server listens on."""

from tablewright.errors import UsageError


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    import ipaddress
    import socket

    try:
        addresses = {entry[4][0] for entry in socket.getaddrinfo(host or "0.0.0.0", None)}
    except (OSError, UnicodeError):
        raise UsageError(_not_here(host)) from None
    return all(ipaddress.ip_address(str(address).partition("%")[0]).is_loopback for address in addresses)


def explain_bind_error(error: OSError, host: str, port: int, option: str = "--port") -> str:
    """Explain why a port cannot be opened, and what to do."""
    import errno

    match error.errno:
        case errno.EADDRINUSE:
            return (
                f"port {port} is in use; stop the program that uses it, or select a free port with {option} 0"
            )
        case errno.EACCES:
            return f"port {port} needs root privileges; use a port above 1023, or select one with {option} 0"
        case errno.EADDRNOTAVAIL:
            return _not_here(host)
        case _:
            return f"cannot listen on {host} port {port}: {error.strerror or error}"


def _not_here(host: str) -> str:
    return f"{host} is not an address of this machine; use 127.0.0.1"
