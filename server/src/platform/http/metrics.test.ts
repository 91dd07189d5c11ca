import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { version } from '../command-line.ts';

const harness = useHarness();

test('the metrics name the version of Halyard and of Node.js', async () => {
  const { body } = await harness.app.inject('/internal-backstage/prometheus');

  expect(body).toContain(`halyard_build_info{version="${version()}",node="${process.versions.node}"} 1`);
});
