import { datadog } from './datadog.ts';
import { discord } from './discord.ts';
import { newRelic } from './new-relic.ts';
import type { Provider } from './provider.ts';
import { siem } from './siem.ts';
import { slack } from './slack.ts';
import { slackApp } from './slack-app.ts';
import { teamsWorkflow } from './teams-workflow.ts';
import { webhook } from './webhook.ts';

export const PROVIDERS: readonly Provider[] = [
  webhook,
  slackApp,
  slack,
  teamsWorkflow,
  datadog,
  newRelic,
  discord,
  siem,
];

export const findProvider = (name: string): Provider | undefined =>
  PROVIDERS.find(provider => provider.name === name);
