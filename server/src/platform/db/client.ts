import pg from 'pg';

const QUERY_TIMEOUT = 'Query read timeout';
/** PostgreSQL's error code for a write in a read-only transaction. */
export const READ_ONLY = '25006';
/**
 * PostgreSQL reports these parameters when a connection opens and whenever they change. If either is on, PostgreSQL
 * rejects writes.
 */
const READ_ONLY_PARAMETERS = ['in_hot_standby', 'default_transaction_read_only'];

/**
 * A connection that ends when PostgreSQL does not respond within `query_timeout`. `pg` itself only rejects the query, so the
 * connection would go back to the pool with the query still running, and the next query would wait for it.
 */
export class Client extends pg.Client {
  private readonly readOnlyParameters = new Set<string>();

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    (this as unknown as ConnectedClient).connection.on(
      'parameterStatus',
      ({ parameterName, parameterValue }) => {
        if (!READ_ONLY_PARAMETERS.includes(parameterName)) return;
        if (parameterValue === 'on') this.readOnlyParameters.add(parameterName);
        else this.readOnlyParameters.delete(parameterName);
      },
    );
  }

  /** Whether PostgreSQL rejects writes on this connection, usually because the connection reached a standby. */
  get isReadOnly(): boolean {
    return this.readOnlyParameters.size > 0;
  }

  // biome-ignore lint/suspicious/noExplicitAny: repeating the many overloads of `query` would add nothing
  override query(...args: any[]): any {
    const result = (super.query as (...args: unknown[]) => unknown)(...args);
    if (result instanceof Promise) result.catch(error => this.endAfter(error));
    return result;
  }

  protected endAfter(error: Error): void {
    if (error.message !== QUERY_TIMEOUT) return;
    this.emit('queryTimeout', error);
    this.end().catch(() => {});
  }
}

/** PostgreSQL's error code when the server, the role or the database has reached its maximum number of connections. */
const TOO_MANY_CONNECTIONS = '53300';

/** Returns the connection class for a pool. It calls `onTooManyConnections` when PostgreSQL has no connection left. */
export const makeReportingClient = (onTooManyConnections: () => void): typeof Client =>
  class extends Client {
    // biome-ignore lint/suspicious/noExplicitAny: a pool always passes a callback
    override connect(callback?: any): any {
      return super.connect((error: Error & { code?: string }) => {
        if (error?.code === TOO_MANY_CONNECTIONS) onTooManyConnections();
        callback(error);
      });
    }
  };

/** A connection for a pool that a library manages. It closes itself when PostgreSQL rejects a write on it as read-only. */
export class JobsClient extends Client {
  protected override endAfter(error: Error): void {
    if (error instanceof pg.DatabaseError && error.code === READ_ONLY) this.end().catch(() => {});
    else super.endAfter(error);
  }
}

type ParameterStatus = { parameterName: string; parameterValue: string };

/** Protocol messages that are missing from the pg types. */
type ConnectedClient = {
  connection: { on: (name: string, listener: (message: ParameterStatus) => void) => void };
};
