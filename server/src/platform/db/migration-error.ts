import { howToRun } from '../files.ts';
import type { MigrationFile } from './migration-files.ts';
import type { SqlStatement } from './sql-statements.ts';

export type OpenTransaction = { pid: number; state: string; seconds: number };

/** An error whose message names the file and the statement, and says what the operator can do. */
export class MigrationError extends Error {
  code: string | undefined;

  constructor(message: string, options?: ErrorOptions & { code?: string | undefined }) {
    super(message, options);
    this.name = 'MigrationError';
    this.code = options?.code;
  }

  addOpenTransactions(transactions: OpenTransaction[]): MigrationError {
    if (transactions.length === 0) return this;
    const list = transactions
      .map(({ pid, state, seconds }) => `pid ${pid} (${state}, open for ${seconds} s)`)
      .join(', ');
    return new MigrationError(`${this.message} Oldest open transactions: ${list}.`, {
      cause: this.cause,
      code: this.code,
    });
  }
}

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
const NO_PRIVILEGE = '42501';
const UNIQUE_VIOLATION = '23505';
const CHECK_VIOLATION = '23514';

export function isLockFailure(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === LOCK_NOT_AVAILABLE || code === DEADLOCK;
}

export function toMigrationError(
  file: MigrationFile,
  statement: SqlStatement,
  error: unknown,
): MigrationError {
  const { code, message } = error as { code?: string; message?: string };
  const excerpt = statement.text.replace(/\s+/g, ' ').slice(0, 120);
  const outcome = file.concurrent
    ? 'The statements before it are kept; the next run continues with this one.'
    : 'Nothing in this file was applied; the files before it are kept.';
  return new MigrationError(
    `Migration ${file.name}.sql failed at line ${statement.line}, "${excerpt}${statement.text.length > 120 ? '…' : ''}": ` +
      `${message}. ${outcome} ${suggestRemedy(code)}`,
    { cause: error, code },
  );
}

function suggestRemedy(code: string | undefined): string {
  if (code === LOCK_NOT_AVAILABLE || code === DEADLOCK)
    return 'Other transactions kept the table locked during every attempt. End long transactions, or run again at a quieter time.';
  if (code === NO_PRIVILEGE)
    return 'Grant the missing privilege to the role in DATABASE_URL, then run again.';
  if (code === UNIQUE_VIOLATION || code === CHECK_VIOLATION)
    return 'Correct the rows that violate the constraint, then run again.';
  return `Fix the cause, then run again: ${howToRun('migrate')}.`;
}
