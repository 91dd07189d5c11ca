import pg from 'pg';
import { ConfigError } from './config.ts';
import { MigrationError } from './db/migration-error.ts';
import { LOWEST_POSTGRES, OldPostgresError } from './db/postgres-version.ts';
import { StartError } from './start-error.ts';

/** The class of PostgreSQL error codes for a full disk and similar problems. */
const OUT_OF_RESOURCES = /^53/;

type Address = { at: string; user: string; database: string };

/** Tells the operator how to fix a failed start, without secrets. Returns undefined for a bug in the server. */
export function explainStartError(error: unknown, databaseUrl: string | undefined): string | undefined {
  if (error instanceof StartError || error instanceof ConfigError) return error.message;
  if (databaseUrl === undefined || !(error instanceof Error)) return undefined;
  const address = addressOf(databaseUrl);
  if (error instanceof OldPostgresError)
    return `PostgreSQL at ${address.at} has version ${error.major}, and Halyard requires ${LOWEST_POSTGRES} or newer. Upgrade PostgreSQL, or correct DATABASE_URL.`;
  if (error instanceof MigrationError) {
    const reason = OUT_OF_RESOURCES.test(error.code ?? '') && explainDatabaseError(error.cause, address);
    return reason ? `${error.message} ${reason}` : error.message;
  }
  return explainDatabaseError(error, address) ?? explainDatabaseError(error.cause, address);
}

/** Prints the explanation and exits. A stack trace is printed only for our own bugs. */
export function exitWith(error: unknown, databaseUrl: string | undefined): never {
  process.stderr.write(`${explainStartError(error, databaseUrl) ?? (error as Error).stack ?? error}\n`);
  process.exit(1);
}

/** The database is missing, and the role of the URL lacks the permission to create it. */
export function cannotCreateDatabase(error: unknown, databaseUrl: string): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code !== '42501') return error;
  const { at, user, database } = addressOf(databaseUrl);
  return new StartError(
    `PostgreSQL at ${at} has no database "${database}", and role "${user}" has no permission to create it. Grant CREATEDB to the role, or let an administrator create the database with the role as its owner.`,
    { cause: error },
  );
}

/** Adds a hint to the explanation of a connection error when nothing listens there. */
export function withHintIfRefused(error: unknown, databaseUrl: string, hint: string): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') return error;
  return new StartError(`${explainStartError(error, databaseUrl)}\n${hint}`, { cause: error });
}

export function cannotListen(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reason = LISTEN[code ?? ''];
  return reason === undefined
    ? error
    : new StartError(`Cannot listen on ${withPort(host, port)}: ${reason}`, { cause: error });
}

const LISTEN: Record<string, string> = {
  EADDRINUSE: 'another process uses this port. Stop that process or set PORT.',
  EACCES: 'the process has no permission to use this port. Set PORT to 1024 or higher.',
  EPERM: 'the process has no permission to use this port. Set PORT to 1024 or higher.',
  EADDRNOTAVAIL: 'this machine does not have this IP address. Check HOST.',
  EAFNOSUPPORT: 'this machine does not support this kind of address. Check HOST.',
  ENOTFOUND: 'the host name is not known. Check HOST.',
  EAI_AGAIN: 'the host name cannot be resolved. Check HOST.',
};

/** From the client itself, which adds what the URL omits. It also reads certificates, which may be missing. */
function addressOf(databaseUrl: string): Address {
  try {
    const { host, port, user = '', database = '' } = new pg.Client({ connectionString: databaseUrl });
    return { at: host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : withPort(host, port), user, database };
  } catch {
    const url = URL.parse(databaseUrl);
    return {
      at: `${url?.hostname ?? ''}:${url?.port || 5432}`,
      user: url?.username ?? '',
      database: url?.pathname.slice(1) ?? '',
    };
  }
}

const withPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

function explainDatabaseError(error: unknown, address: Address): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const explain =
    error instanceof pg.DatabaseError
      ? (REPORTED[code] ?? REPORTED[code.slice(0, 2)])
      : (NETWORK[code] ?? TEXTS.find(([pattern]) => pattern.test(error.message))?.[1] ?? tlsReason(code));
  return explain?.(address, error.message.replace(/\.$/, ''));
}

type Explain = (address: Address, message: string) => string;

const cannotConnect =
  (reason: string, remedy: string): Explain =>
  ({ at }) =>
    `Cannot connect to PostgreSQL at ${at}: ${reason}. ${remedy}`;

const NO_RESPONSE = cannotConnect(
  'no response',
  'Check host and port in DATABASE_URL, and firewalls in between.',
);
const CLOSED = cannotConnect(
  'the connection was closed',
  'Check that PostgreSQL listens on this port, and its log.',
);
const UNKNOWN_HOST = cannotConnect('host not found', 'Check the host in DATABASE_URL.');
const UNREACHABLE = cannotConnect('host not reachable', 'Check the host in DATABASE_URL, and the network.');

/** By the code of an error of the operating system. */
const NETWORK: Record<string, Explain> = {
  ECONNREFUSED: cannotConnect('connection refused', 'Check DATABASE_URL, and that PostgreSQL is running.'),
  ENOENT: ({ at }, message) =>
    `Cannot connect to PostgreSQL at ${at}: a file is missing (${message}). Check the files that DATABASE_URL names.`,
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: NO_RESPONSE,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
};

const WRONG_PASSWORD: Explain = ({ at, user }) =>
  `PostgreSQL at ${at} rejected the password of role "${user}". Check the password in DATABASE_URL.`;

/** Errors for which pg has no code. */
const TEXTS: [RegExp, Explain][] = [
  [
    /timeout expired|timeout exceeded when trying to connect|connection timeout|Query read timeout/,
    NO_RESPONSE,
  ],
  [
    /does not support SSL/,
    cannotConnect(
      'the server does not support TLS',
      'Enable TLS in PostgreSQL, or remove sslmode from DATABASE_URL.',
    ),
  ],
  [
    /password must be a/,
    ({ at, user }) => `PostgreSQL at ${at} requires a password for role "${user}". Add it to DATABASE_URL.`,
  ],
  [/Connection terminated|is not queryable/, CLOSED],
];

/** Node reports a rejected certificate with its own code. */
const tlsReason = (code: string): Explain | undefined =>
  /CERT|ISSUER|SIGNATURE|^ERR_(TLS|SSL)|^EPROTO$/.test(code)
    ? cannotConnect(
        `the TLS connection failed (${code})`,
        'Check the certificate of the server, and sslmode and sslrootcert in DATABASE_URL.',
      )
    : undefined;

/** By the error code of PostgreSQL, or by its class, the first two characters. */
const REPORTED: Record<string, Explain> = {
  '28P01': WRONG_PASSWORD,
  '28000': ({ at, user }, message) =>
    /role .* does not exist/.test(message)
      ? `PostgreSQL at ${at} has no role "${user}". Create it with createuser, or correct DATABASE_URL.`
      : `PostgreSQL at ${at} rejected the login: ${message}. Check the role in DATABASE_URL, and pg_hba.conf.`,
  '28': ({ at }, message) =>
    `PostgreSQL at ${at} rejected the login: ${message}. Check the role in DATABASE_URL, and pg_hba.conf.`,
  '3D000': ({ at, database }) =>
    `PostgreSQL at ${at} has no database "${database}". Create it with createdb, or correct DATABASE_URL.`,
  '42501': ({ user, database }, message) =>
    `Role "${user}" lacks a permission in database "${database}": ${message}. Make the role the owner of the database, or let an administrator grant the permission.`,
  '58P01': ({ at }, message) =>
    `PostgreSQL at ${at} lacks a file: ${message}. Install the contrib package of PostgreSQL.`,
  '0A000': ({ at }, message) =>
    `PostgreSQL at ${at} does not support this: ${message}. Install the contrib package of PostgreSQL.`,
  '25006': ({ at }) => `PostgreSQL at ${at} is read-only. Connect to the primary server; check DATABASE_URL.`,
  '53100': ({ at }) => `The disk of PostgreSQL at ${at} is full. Free space there, then start again.`,
  '53300': ({ at }) =>
    `PostgreSQL at ${at} accepts no more connections. Raise max_connections, or lower HALYARD_POOL_SIZE.`,
  '53': ({ at }, message) => `PostgreSQL at ${at} lacks resources: ${message}. Free them, then start again.`,
  '55P03': ({ at }) =>
    `Another session of PostgreSQL at ${at} held a lock for too long. Start again when it has ended.`,
  '57P03': ({ at }, message) =>
    `PostgreSQL at ${at} does not accept connections yet: ${message}. Start again shortly.`,
  '57': ({ at }, message) => `PostgreSQL at ${at} ended the connection: ${message}. Check its log.`,
};
