import { explainListenFailure, joinHostAndPort } from '@halyard/plane/platform/http/listen-failure.ts';
import pg from 'pg';
import { ConfigError } from './config.ts';
import { MigrationError } from './db/migration-error.ts';
import { MIN_POSTGRES_VERSION, OldPostgresError } from './db/postgres-version.ts';
import { UnsealError } from './secrets/seal.ts';
import { StartError } from './start-error.ts';

/** The class of PostgreSQL error codes for a full disk and similar problems. */
const OUT_OF_RESOURCES = /^53/;

type DatabaseAddress = { server: string; user: string; database: string };

/** Tells the operator how to fix a failed start, without secrets. Returns undefined for a bug in the server. */
export function explainStartError(error: unknown, databaseUrl: string | undefined): string | undefined {
  if (error instanceof StartError || error instanceof ConfigError) return error.message;
  if (error instanceof UnsealError)
    return `HALYARD_SECRET_KEY is not the key that encrypted the secrets in this database: ${error.message}. Set the same key as on the server.`;
  if (databaseUrl === undefined || !(error instanceof Error)) return undefined;
  const address = parseAddress(databaseUrl);
  if (error instanceof OldPostgresError)
    return `PostgreSQL at ${address.server} has version ${error.major}, but Halyard requires ${MIN_POSTGRES_VERSION} or newer. Upgrade PostgreSQL, or correct DATABASE_URL.`;
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

/** Explains the error if the database is missing and the role in the URL lacks the permission to create it. */
export function explainCreateError(error: unknown, databaseUrl: string): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code !== '42501') return error;
  const { server, user, database } = parseAddress(databaseUrl);
  return new StartError(
    `PostgreSQL at ${server} has no database "${database}", and role "${user}" has no permission to create it. Grant CREATEDB to the role, or let an administrator create the database with the role as its owner.`,
    { cause: error },
  );
}

/** Adds a hint to the explanation if the connection was refused, because then nothing listens on the port. */
export function addHintIfRefused(error: unknown, databaseUrl: string, hint: string): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') return error;
  return new StartError(`${explainStartError(error, databaseUrl)}\n${hint}`, { cause: error });
}

export function explainListenError(error: unknown, host: string, port: number): unknown {
  const explanation = explainListenFailure(error, host, port);
  return explanation === undefined ? error : new StartError(explanation, { cause: error });
}

/**
 * Reads the address from the client, which fills in what the URL omits. The client also reads the certificate files, and throws if
 * one is missing.
 */
function parseAddress(databaseUrl: string): DatabaseAddress {
  try {
    const { host, port, user = '', database = '' } = new pg.Client({ connectionString: databaseUrl });
    return {
      server: host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : joinHostAndPort(host, port),
      user,
      database,
    };
  } catch {
    const url = URL.parse(databaseUrl);
    return {
      server: `${url?.hostname ?? ''}:${url?.port || 5432}`,
      user: url?.username ?? '',
      database: url?.pathname.slice(1) ?? '',
    };
  }
}

function explainDatabaseError(error: unknown, address: DatabaseAddress): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const explain =
    error instanceof pg.DatabaseError
      ? (POSTGRES_EXPLANATIONS[code] ?? POSTGRES_EXPLANATIONS[code.slice(0, 2)])
      : (NETWORK_EXPLANATIONS[code] ??
        MESSAGE_EXPLANATIONS.find(([pattern]) => pattern.test(error.message))?.[1] ??
        explainTlsError(code));
  return explain?.(address, error.message.replace(/\.$/, ''));
}

type Explain = (address: DatabaseAddress, message: string) => string;

const cannotConnect =
  (reason: string, remedy: string): Explain =>
  ({ server }) =>
    `Cannot connect to PostgreSQL at ${server}: ${reason}. ${remedy}`;

const NO_RESPONSE = cannotConnect(
  'no response',
  'Check the host and port in DATABASE_URL, and any firewall in between.',
);
const CONNECTION_CLOSED = cannotConnect(
  'the connection was closed',
  'Check that PostgreSQL listens on this port, and look at its log.',
);
const UNKNOWN_HOST = cannotConnect('host not found', 'Check the host in DATABASE_URL.');
const UNREACHABLE = cannotConnect('host not reachable', 'Check the host in DATABASE_URL, and the network.');

/** Explanations by the operating system's error code. */
const NETWORK_EXPLANATIONS: Record<string, Explain> = {
  ECONNREFUSED: cannotConnect('connection refused', 'Check DATABASE_URL, and that PostgreSQL is running.'),
  ENOENT: ({ server }, message) =>
    `Cannot connect to PostgreSQL at ${server}: a file is missing (${message}). Check the files that DATABASE_URL names.`,
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: NO_RESPONSE,
  ECONNRESET: CONNECTION_CLOSED,
  EPIPE: CONNECTION_CLOSED,
};

const WRONG_PASSWORD: Explain = ({ server, user }) =>
  `PostgreSQL at ${server} rejected the password of role "${user}". Check the password in DATABASE_URL.`;

/** Errors for which pg has no code. */
const MESSAGE_EXPLANATIONS: [RegExp, Explain][] = [
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
    ({ server, user }) =>
      `PostgreSQL at ${server} requires a password for role "${user}". Add it to DATABASE_URL.`,
  ],
  [/Connection terminated|is not queryable/, CONNECTION_CLOSED],
];

/** Explains a failed TLS connection. Node reports a rejected certificate with its own code. */
const explainTlsError = (code: string): Explain | undefined =>
  /CERT|ISSUER|SIGNATURE|^ERR_(TLS|SSL)|^EPROTO$/.test(code)
    ? cannotConnect(
        `the TLS connection failed (${code})`,
        "Check the server's certificate, and sslmode and sslrootcert in DATABASE_URL.",
      )
    : undefined;

/** Explanations by PostgreSQL's error code, or by its class, which is the first two characters. */
const POSTGRES_EXPLANATIONS: Record<string, Explain> = {
  '28P01': WRONG_PASSWORD,
  '28000': ({ server, user }, message) =>
    /role .* does not exist/.test(message)
      ? `PostgreSQL at ${server} has no role "${user}". Create it with createuser, or correct DATABASE_URL.`
      : `PostgreSQL at ${server} rejected the login: ${message}. Check the role in DATABASE_URL, and pg_hba.conf.`,
  '28': ({ server }, message) =>
    `PostgreSQL at ${server} rejected the login: ${message}. Check the role in DATABASE_URL, and pg_hba.conf.`,
  '3D000': ({ server, database }) =>
    `PostgreSQL at ${server} has no database "${database}". Create it with createdb, or correct DATABASE_URL.`,
  '42501': ({ user, database }, message) =>
    `Role "${user}" lacks a permission in database "${database}": ${message}. Make the role the owner of the database, or let an administrator grant the permission.`,
  '58P01': ({ server }, message) =>
    `PostgreSQL at ${server} is missing a file: ${message}. Install PostgreSQL's contrib package.`,
  '0A000': ({ server }, message) =>
    `PostgreSQL at ${server} does not support this: ${message}. Install PostgreSQL's contrib package.`,
  '25006': ({ server }) => `PostgreSQL at ${server} is read-only. Set DATABASE_URL to the primary server.`,
  '53100': ({ server }) => `The disk of PostgreSQL at ${server} is full. Free space there, then start again.`,
  '53300': ({ server }) =>
    `PostgreSQL at ${server} accepts no more connections. Raise max_connections, or lower HALYARD_POOL_SIZE.`,
  '53': ({ server }, message) =>
    `PostgreSQL at ${server} lacks resources: ${message}. Free them, then start again.`,
  '55P03': ({ server }) =>
    `Another session on PostgreSQL at ${server} held a lock for too long. Start again when that session has ended.`,
  '57P03': ({ server }, message) =>
    `PostgreSQL at ${server} does not accept connections yet: ${message}. Start again shortly.`,
  '57': ({ server }, message) => `PostgreSQL at ${server} ended the connection: ${message}. Check its log.`,
};
