import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { makeClients } from '../../plane/src/counting/clients.ts';
import type { Scope } from '../../plane/src/serving/state/scope.ts';
import type { SdkToken } from '../../plane/src/serving/tokens/tokens.ts';

/** Bytes of memory that a server takes to remember one instance, of this many. */
export function measureMemory(instances: number): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const token = { id: 1, environment: 'production', projects: undefined } as SdkToken;
  const scope = { environment: 'production', revision: 5, current: { revision: 5, epoch: 'e' } } as Scope;
  collect();
  const before = process.memoryUsage();
  const clients = makeClients({ clients: 2 * instances + 1 });
  for (let n = 0; n < instances; n++) {
    const headers = {
      // As the parser of HTTP makes it: one piece, with one byte for each character.
      'unleash-connection-id': Buffer.from(randomUUID()).toString('latin1'),
      'unleash-appname': 'checkout',
      'unleash-instanceid': `pod-${n}`,
    };
    clients.hear(token, headers, scope, 5);
    if (n % 500 === 0) clients.take(instances);
  }
  clients.take(instances);
  collect();
  const after = process.memoryUsage();
  if (clients.size !== instances) throw new Error(`${clients.size} of ${instances} clients are remembered`);
  return (after.heapUsed + after.external - before.heapUsed - before.external) / instances;
}
