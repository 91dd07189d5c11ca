import pg from 'pg';

const QUERY_TIMEOUT = 'Query read timeout';

/**
 * A connection that ends when PostgreSQL does not respond within `query_timeout`. `pg` itself only rejects the query: the
 * connection would go back to the pool with the query still running, and the next query would wait for it.
 */
export class Client extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the many overloads of `query` stay as they are
  override query(...call: any[]): any {
    const result = (super.query as (...call: unknown[]) => unknown)(...call);
    if (result instanceof Promise) result.catch(error => this.endAfter(error));
    return result;
  }

  private endAfter(error: Error): void {
    if (error.message !== QUERY_TIMEOUT) return;
    this.emit('queryTimeout', error);
    this.end().catch(() => {});
  }
}
