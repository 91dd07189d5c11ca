import type { Provider } from './provider.ts';
import { webhook } from './webhook.ts';

export const PROVIDERS: readonly Provider[] = [webhook];

export const providerNamed = (name: string): Provider | undefined =>
  PROVIDERS.find(provider => provider.name === name);
