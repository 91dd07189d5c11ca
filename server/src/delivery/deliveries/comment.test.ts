import { expect, test } from 'vitest';
import { useDeliveries } from '../../test/deliveries.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);

async function createTagType(name: string, comment?: string): Promise<void> {
  const { statusCode } = await harness.app.inject({
    method: 'POST',
    url: '/api/admin/tag-types',
    headers: { authorization: ADMIN_TOKEN, ...(comment ? { 'halyard-comment': comment } : {}) },
    payload: { name, description: '' },
  });
  expect(statusCode).toBe(201);
}

test('a receiver gets the comment on a change, both as a field and at the end of the message', async () => {
  const { id } = await deliveries.addWebhook({ events: ['tag-type-created'] });
  const bodyTemplate = '{ "text": "{{{eventMarkdown}}}", "why": "{{event.comment}}" }';
  await deliveries.addWebhook({ events: ['tag-type-created'] }, { bodyTemplate });

  await createTagType('reviewed', 'Asked for by *legal*');

  await deliveries.waitUntilSettled(id);
  const bodies = (await deliveries.receiver.count(2)).map(({ body }) => JSON.parse(body));
  expect(bodies).toContainEqual(
    expect.objectContaining({ type: 'tag-type-created', comment: 'Asked for by *legal*' }),
  );
  expect(bodies).toContainEqual({
    text: expect.stringMatching(/created tag type \*\*reviewed\*\*: “Asked for by \\\*legal\\\*”$/),
    why: 'Asked for by *legal*',
  });
});

test('the payload has no comment field if the change has no comment', async () => {
  deliveries.receiver.received.length = 0;
  const { id } = await deliveries.addWebhook({ events: ['tag-type-created'], filter: { query: 'quietly' } });

  await createTagType('quietly');

  const [record] = await deliveries.waitUntilSettled(id);
  const sentBodies = deliveries.receiver.received.map(({ body }) => JSON.parse(body));
  expect(record?.event).not.toHaveProperty('comment');
  expect(sentBodies.find(({ type }) => type === 'tag-type-created')).not.toHaveProperty('comment');
});

test("an integration's text filter finds comments", async () => {
  const { id } = await deliveries.addWebhook({ filter: { query: 'inc-77' } });

  await createTagType('unrelated', 'See INC-78');
  await createTagType('related', 'See INC-77');

  const records = await deliveries.waitUntilSettled(id);
  expect(records.map(({ event }) => (event as { comment?: string }).comment)).toEqual(['See INC-77']);
});
