import { maskTarget } from '../../../platform/outgoing/target.ts';
import { BODY_TEMPLATE, CUSTOM_HEADERS, customHeaders, renderBody } from './parts.ts';
import type { PlanRequests, Provider } from './provider.ts';

const plan: PlanRequests = context => {
  const { parameters, event, isTest } = context;
  const contentType = parameters.contentType || 'application/json';
  const body = parameters.bodyTemplate
    ? renderBody(parameters.bodyTemplate, contentType, context)
    : JSON.stringify(isTest ? { ...event, test: true } : event);
  const headers = {
    ...(parameters.authorization ? { authorization: parameters.authorization } : {}),
    'content-type': contentType,
    ...customHeaders(parameters),
  };
  const url = parameters.url ?? '';
  return {
    requests: [{ url, headers, body }],
    details: { url: maskTarget(url), contentType, body: parseIfJson(body) },
  };
};

/** Parses the body if it is JSON, because the delivery record is then easier to read. */
function parseIfJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

export const webhook: Provider = {
  name: 'webhook',
  displayName: 'Webhook',
  description: 'Posts every event to a URL of your choice, signed according to Standard Webhooks.',
  howTo:
    'Enter the URL that receives the events. The response shows the signing secret. Store it in the receiver, which uses it to verify each request.',
  parameters: [
    {
      name: 'url',
      displayName: 'URL',
      type: 'url',
      description:
        'URL that receives a POST request for each event. A response with a status from 200 to 299 confirms the delivery.',
      placeholder: 'https://example.com/hooks/flags',
      required: true,
      sensitive: true,
    },
    {
      name: 'contentType',
      displayName: 'Content type',
      type: 'text',
      description: 'The Content-Type header. Default: application/json',
      placeholder: 'application/json',
      required: false,
      sensitive: false,
    },
    {
      name: 'authorization',
      displayName: 'Authorization',
      type: 'text',
      description: 'Authorization header, if the receiver requires one.',
      required: false,
      sensitive: true,
    },
    CUSTOM_HEADERS,
    BODY_TEMPLATE,
  ],
  tagTypes: [],
  signed: true,
  plan,
};
