export type Log = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;

const LEVELS = { info: 30, warn: 40, error: 50 };

/** Lines of JSON with the fields of pino, as the server writes them. */
export function makeLog(write: (line: string) => void): Log {
  const at = (level: keyof typeof LEVELS) => (fields: object, message: string) => {
    const shown = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        value instanceof Error ? { message: value.message, cause: causeOf(value) } : value,
      ]),
    );
    write(`${JSON.stringify({ level: LEVELS[level], time: Date.now(), ...shown, msg: message })}\n`);
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

const causeOf = ({ cause }: Error): string | undefined =>
  cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : '') : undefined;
