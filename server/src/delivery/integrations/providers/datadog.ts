import { ellipsize } from '@halyard/plane/platform/text.ts';
import { maskTarget } from '../../../platform/outgoing/target.ts';
import { BODY_TEMPLATE, CUSTOM_HEADERS, customHeaders, linkTo, listTagValues, renderBody } from './parts.ts';
import type { DeliveryContext, PlanRequests, Provider } from './provider.ts';

const US1 = 'https://api.datadoghq.com/api/v1/events';
const MAX_TITLE = 100;
const MAX_TEXT = 4_000;
const MAX_TAG = 200;

const plan: PlanRequests = context => {
  const { parameters } = context;
  const url = parameters.url || US1;
  const body = parameters.bodyTemplate
    ? renderBody(parameters.bodyTemplate, 'application/json', context)
    : JSON.stringify(buildEvent(context));
  return {
    requests: [
      {
        url,
        headers: {
          'content-type': 'application/json',
          'dd-api-key': parameters.apiKey ?? '',
          ...customHeaders(parameters),
        },
        body,
      },
    ],
    details: { url: maskTarget(url), body },
  };
};

function buildEvent(context: DeliveryContext) {
  const { event, label, summary, parameters } = context;
  const tag = (name: string, value: string | null) =>
    value === null ? [] : [ellipsize(`${name}:${value}`, MAX_TAG)];
  return {
    title: ellipsize(`Halyard: ${label}`, MAX_TITLE),
    // The percent signs make Datadog render the text as Markdown.
    text: ellipsize(`%%%\n${summary}\n\n[Open in Halyard](${linkTo(context)})\n%%%`, MAX_TEXT),
    date_happened: Math.floor(Date.parse(event.createdAt) / 1_000),
    alert_type: 'info',
    tags: [
      ...tag('type', event.type),
      ...tag('project', event.project),
      ...tag('env', event.environment),
      ...tag('feature', event.featureName),
      ...listTagValues(context, 'datadog').map(value => ellipsize(value, MAX_TAG)),
    ],
    ...(parameters.sourceTypeName ? { source_type_name: parameters.sourceTypeName } : {}),
  };
}

export const datadog: Provider = {
  name: 'datadog',
  displayName: 'Datadog',
  description: 'Posts events to the Datadog event stream.',
  howTo:
    'In Datadog, create an API key under Organization Settings, and enter it. If your site is not US1, also enter the events URL of your site.',
  parameters: [
    {
      name: 'apiKey',
      displayName: 'API key',
      type: 'text',
      description: 'A Datadog API key.',
      required: true,
      sensitive: true,
    },
    {
      name: 'url',
      displayName: 'URL',
      type: 'url',
      description: `The events URL of your Datadog site. Default: ${US1}`,
      placeholder: US1,
      required: false,
      sensitive: false,
    },
    {
      name: 'sourceTypeName',
      displayName: 'Source type',
      type: 'text',
      description: 'The source of the events in Datadog.',
      required: false,
      sensitive: false,
    },
    CUSTOM_HEADERS,
    BODY_TEMPLATE,
  ],
  tagTypes: [{ name: 'datadog', description: 'Tag added to Datadog events about the feature', icon: 'D' }],
  signed: false,
  plan,
};
