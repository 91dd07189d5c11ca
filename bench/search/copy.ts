import { once } from 'node:events';
import type pg from 'pg';

type Wire = {
  stream: NodeJS.WritableStream & { writableNeedDrain?: boolean };
  query: (text: string) => void;
  sendCopyFromChunk: (chunk: Buffer) => void;
  endCopyFrom: () => void;
  sendCopyFail: (reason: string) => void;
};

/** Sends text through COPY … FROM STDIN, at the speed at which PostgreSQL reads it. */
export async function copyIn(client: pg.Client, statement: string, chunks: Iterable<string>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let failure: unknown;
    // pg calls these methods for the messages of a query. It does not support COPY itself.
    const query = {
      submit: (wire: Wire) => wire.query(statement),
      handleCopyInResponse: (wire: Wire) => {
        send(wire, chunks).catch(error => wire.sendCopyFail(String(error)));
      },
      handleCommandComplete: () => undefined,
      handleError: (error: unknown) => {
        failure = error;
        // PostgreSQL sends ReadyForQuery after the error, and pg then makes no further calls.
        reject(error);
      },
      handleReadyForQuery: () => (failure === undefined ? resolve() : reject(failure)),
    };
    client.query(query as unknown as pg.Submittable);
  });
}

async function send(wire: Wire, chunks: Iterable<string>): Promise<void> {
  for (const chunk of chunks) {
    wire.sendCopyFromChunk(Buffer.from(chunk));
    if (wire.stream.writableNeedDrain) await once(wire.stream, 'drain');
  }
  wire.endCopyFrom();
}
