export type Log = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;

const LEVELS = { info: 30, warn: 40, error: 50 };

/** JSON lines with pino's fields, like those of the server. */
export function makeLog(write: (line: string) => void): Log {
  const writerFor = (level: keyof typeof LEVELS) => (fields: object, message: string) => {
    const plainFields = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        value instanceof Error ? { message: value.message, cause: describeCause(value) } : value,
      ]),
    );
    write(`${JSON.stringify({ level: LEVELS[level], time: Date.now(), ...plainFields, msg: message })}\n`);
  };
  return { info: writerFor('info'), warn: writerFor('warn'), error: writerFor('error') };
}

const describeCause = ({ cause }: Error): string | undefined =>
  cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : '') : undefined;
