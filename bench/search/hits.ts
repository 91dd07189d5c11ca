import type pg from 'pg';
import { literal } from './plain.ts';

/**
 * Looks for every text in every loaded event once, with plain SQL, and stores the outcome as a bit per text and event. A campaign
 * compares thousands of searches; each scan for text would take seconds.
 */
export async function storeHits(client: pg.Client, forms: string[], loaded: number): Promise<void> {
  const bits = forms.map(form => `(strpos(text, lower(${literal(form)})) > 0)::integer::text`);
  await client.query(`
    create schema if not exists bench;
    create table bench.hits as
    select id, (${bits.join(' || ')})::bit varying as hits
    from (
      select id, lower(event_text(data, pre_data, tags, comment)) as text from events where id <= ${loaded} offset 0
    ) as texts;
    alter table bench.hits add primary key (id);
    analyze bench.hits`);
}

/** The condition that an event contains the text: by the stored bit, or by ilike for events that were added later. */
export const containsStored =
  (forms: string[], loaded: number, ilike: (form: string) => string) =>
  (form: string): string => {
    const bit = forms.indexOf(form);
    if (bit < 0) throw new Error(`No hits are stored for ${form}`);
    return (
      `(id <= ${loaded} and id in (select id from bench.hits where get_bit(hits, ${bit}) = 1) ` +
      `or id > ${loaded} and ${ilike(form)})`
    );
  };

/** Random pieces of the text of random events. */
export async function randomPieces(client: pg.Client, count: number, seed: number): Promise<string[]> {
  const { rows } = await client.query<{ piece: string }>(
    `select substr(data::text, (1 + abs(hashint8extended(id, $2) % 500))::integer,
       (1 + abs(hashint8extended(id, $2 + 1) % 14))::integer) as piece
     from events where data is not null order by hashint8extended(id, $2 + 2) limit $1`,
    [count, seed],
  );
  return rows.map(row => row.piece).filter(piece => piece.trim() !== '');
}
