import { randomBytes } from 'node:crypto';
import { withClient } from '../database.ts';

/** Runs work on a copy of a database, because it adds events, and drops the copy. */
export async function onCopy<T>(url: URL, work: (copy: URL) => Promise<T>): Promise<T> {
  const [server, copy] = [new URL(url), new URL(url)];
  server.pathname = '/postgres';
  copy.pathname = `${url.pathname}_${randomBytes(4).toString('hex')}`;
  const name = copy.pathname.slice(1);
  const onServer = (statement: string) => withClient(server, client => client.query(statement));
  await onServer(`create database ${name} template ${url.pathname.slice(1)}`);
  try {
    return await work(copy);
  } finally {
    await onServer(`drop database if exists ${name} with (force)`);
  }
}
