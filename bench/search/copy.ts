import { once } from 'node:events';
import type pg from 'pg';

type Connection = {
  stream: NodeJS.WritableStream & { writableNeedDrain?: boolean };
  query: (text: string) => void;
  sendCopyFromChunk: (chunk: Buffer) => void;
  endCopyFrom: () => void;
  sendCopyFail: (reason: string) => void;
};

/** Sends text through COPY … FROM STDIN, no faster than PostgreSQL reads it. */
export async function copyIn(client: pg.Client, statement: string, chunks: Iterable<string>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let failure: unknown;
    // pg does not support COPY, but it calls these methods when it receives the corresponding messages.
    const query = {
      submit: (connection: Connection) => connection.query(statement),
      handleCopyInResponse: (connection: Connection) => {
        send(connection, chunks).catch(error => connection.sendCopyFail(String(error)));
      },
      handleCommandComplete: () => undefined,
      handleError: (error: unknown) => {
        failure = error;
        // After an error, PostgreSQL sends ReadyForQuery, and pg makes no further calls.
        reject(error);
      },
      handleReadyForQuery: () => (failure === undefined ? resolve() : reject(failure)),
    };
    client.query(query as unknown as pg.Submittable);
  });
}

async function send(connection: Connection, chunks: Iterable<string>): Promise<void> {
  for (const chunk of chunks) {
    connection.sendCopyFromChunk(Buffer.from(chunk));
    if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
  }
  connection.endCopyFrom();
}
