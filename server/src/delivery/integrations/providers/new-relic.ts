import { gzipSync } from 'node:zlib';
import { ellipsize } from '@halyard/plane/platform/text.ts';
import { maskTarget } from '../../../platform/outgoing/target.ts';
import { BODY_TEMPLATE, CUSTOM_HEADERS, customHeaders, listTagValues, renderBody } from './parts.ts';
import type { DeliveryContext, PlanRequests, Provider } from './provider.ts';

const MAX_ATTRIBUTE = 4_096;

const plan: PlanRequests = context => {
  const { parameters } = context;
  const url = parameters.url ?? '';
  const body = parameters.bodyTemplate
    ? renderBody(parameters.bodyTemplate, 'application/json', context)
    : JSON.stringify([buildEvent(context)]);
  return {
    requests: [
      {
        url,
        headers: {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          'api-key': parameters.licenseKey ?? '',
          ...customHeaders(parameters),
        },
        body: gzipSync(body),
      },
    ],
    details: { url: maskTarget(url), body },
  };
};

/** Custom events in New Relic can have only flat attributes: strings, numbers and booleans. */
function buildEvent(context: DeliveryContext) {
  const { event, label, summary } = context;
  const attribute = (name: string, value: string | null) =>
    value === null ? {} : { [name]: ellipsize(value, MAX_ATTRIBUTE) };
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value));
  return {
    eventType: 'HalyardEvent',
    timestamp: Date.parse(event.createdAt),
    halyardEventId: event.id,
    halyardEventType: event.type,
    createdBy: event.createdBy,
    ...(event.createdByUserId === null ? {} : { createdByUserId: event.createdByUserId }),
    label,
    ...attribute('summary', summary),
    ...attribute('project', event.project),
    ...attribute('environment', event.environment),
    ...attribute('featureName', event.featureName),
    ...attribute('data', json(event.data)),
    ...attribute('preData', json(event.preData)),
    ...attribute('tags', listTagValues(context, 'new-relic').join(',') || null),
  };
}

export const newRelic: Provider = {
  name: 'new-relic',
  displayName: 'New Relic',
  description: 'Sends custom events of type HalyardEvent to New Relic.',
  howTo:
    'In New Relic, create an ingest license key under API keys, and enter it. Enter the Event API URL with your account id.',
  parameters: [
    {
      name: 'url',
      displayName: 'URL',
      type: 'url',
      description: 'The Event API URL of your account and region.',
      placeholder: 'https://insights-collector.newrelic.com/v1/accounts/YOUR_ACCOUNT_ID/events',
      required: true,
      sensitive: false,
    },
    {
      name: 'licenseKey',
      displayName: 'License key',
      type: 'text',
      description: 'The ingest license key of your account.',
      required: true,
      sensitive: true,
    },
    CUSTOM_HEADERS,
    BODY_TEMPLATE,
  ],
  tagTypes: [
    { name: 'new-relic', description: 'Tag added to New Relic events about the feature', icon: 'N' },
  ],
  signed: false,
  plan,
};
