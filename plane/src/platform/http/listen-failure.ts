const LISTEN_REASONS: Record<string, string> = {
  EADDRINUSE: 'another process uses this port. Stop that process or set PORT.',
  EACCES: 'the process has no permission to use this port. Set PORT to 1024 or higher.',
  EPERM: 'the process has no permission to use this port. Set PORT to 1024 or higher.',
  EADDRNOTAVAIL: 'this machine does not have this IP address. Check HOST.',
  EAFNOSUPPORT: 'this machine does not support this kind of IP address. Check HOST.',
  ENOTFOUND: 'the host name does not exist. Check HOST.',
  EAI_AGAIN: 'the host name cannot be resolved. Check HOST.',
};

/** Tells the operator why a server cannot listen on a host and port, and what to do. Returns undefined for an unknown cause. */
export function explainListenFailure(error: unknown, host: string, port: number): string | undefined {
  const reason = LISTEN_REASONS[(error as NodeJS.ErrnoException).code ?? ''];
  return reason && `Cannot listen on ${joinHostAndPort(host, port)}: ${reason}`;
}

export const joinHostAndPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
