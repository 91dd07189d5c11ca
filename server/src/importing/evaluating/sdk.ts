import { EventEmitter } from 'node:events';
import loaded from 'unleash-client/lib/client.js';
import type { Context } from 'unleash-client/lib/context.js';
import { defaultStrategies } from 'unleash-client/lib/strategy/index.js';

// The package is CommonJS with a default export, which Node.js and the test runner import differently.
const UnleashClient = 'default' in loaded ? loaded.default : (loaded as never);

/** Gives the SDK flags by name and segments by id, in the format that a server sends. */
export type Documents = {
  getToggle: (name: string) => object | undefined;
  getSegment: (id: number) => object | undefined;
};

export type Evaluation = { isEnabled: boolean; variant: { name: string; enabled: boolean } };

/** Evaluates with the official Node.js SDK, without its network access. */
export function makeSdk(documents: Documents): (feature: string, context: Context) => Evaluation {
  const repository = Object.assign(new EventEmitter(), documents);
  // The SDK's class expects a complete repository but calls only these two functions.
  const client = new UnleashClient(repository as never, defaultStrategies);
  client.on('error', () => {});
  return (feature, context) => {
    const { feature_enabled, name, enabled } = client.forceGetVariant(feature, context);
    return { isEnabled: feature_enabled === true, variant: { name, enabled } };
  };
}
