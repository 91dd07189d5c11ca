import { maskTarget } from '../../../platform/outgoing/target.ts';
import { CUSTOM_HEADERS, customHeaders, removeEscapes } from './parts.ts';
import type { DeliveryContext, PlanRequests, Provider } from './provider.ts';

/** The Entity Management class of the Open Cybersecurity Schema Framework: somebody created, changed or deleted something. */
const CLASS = 3004;
const OCSF_VERSION = '1.3.0';
const ACTIVITIES = { Create: 1, Update: 3, Delete: 4, Enable: 8, Disable: 9, Other: 99 } as const;

const plan: PlanRequests = context => {
  const { parameters } = context;
  const url = parameters.url ?? '';
  const body = buildOcsfEvent(context);
  return {
    requests: [
      {
        url,
        headers: {
          ...(parameters.authorization ? { authorization: parameters.authorization } : {}),
          'content-type': 'application/json',
          ...customHeaders(parameters),
        },
        body: JSON.stringify(body),
      },
    ],
    details: { url: maskTarget(url), body },
  };
};

function buildOcsfEvent({ event, label, summary, publicUrl }: DeliveryContext) {
  const activity = toActivity(event.type);
  const entityType = event.type.replace(/-[a-z]+$/, '');
  return {
    activity_id: ACTIVITIES[activity],
    activity_name: activity,
    category_uid: 3,
    category_name: 'Identity & Access Management',
    class_uid: CLASS,
    class_name: 'Entity Management',
    type_uid: CLASS * 100 + ACTIVITIES[activity],
    type_name: `Entity Management: ${activity}`,
    time: Date.parse(event.createdAt),
    severity_id: 1,
    severity: 'Informational',
    status_id: 1,
    status: 'Success',
    message: removeEscapes(summary).replaceAll('**', '').replaceAll('\u200d', ''),
    actor: {
      user: {
        name: event.createdBy,
        ...(event.createdByUserId === null ? {} : { uid: String(event.createdByUserId) }),
      },
    },
    entity: {
      name: event.featureName ?? event.project ?? entityType,
      type: entityType,
      ...(event.data === null ? {} : { data: event.data }),
    },
    metadata: {
      version: OCSF_VERSION,
      uid: String(event.id),
      correlation_uid: event.groupId,
      event_code: event.type,
      product: { name: 'Halyard', vendor_name: 'Halyard', url_string: publicUrl },
      labels: [label],
    },
    unmapped: {
      createdByKind: event.createdByKind ?? null,
      ...(event.createdByToken && { createdByToken: event.createdByToken }),
      ...(event.createdByClient && { createdByClient: event.createdByClient }),
      project: event.project,
      environment: event.environment,
      featureName: event.featureName,
      preData: event.preData,
      tags: event.tags,
    },
  };
}

function toActivity(type: string): keyof typeof ACTIVITIES {
  if (/-(created|added|add|import|imported)$/.test(type)) return 'Create';
  if (/-(deleted|removed|remove|archived)$/.test(type)) return 'Delete';
  if (/-enabled$/.test(type)) return 'Enable';
  if (/-disabled$/.test(type)) return 'Disable';
  return /-(updated|update|changed|change|revived|rotated)$/.test(type) ? 'Update' : 'Other';
}

export const siem: Provider = {
  name: 'siem',
  displayName: 'SIEM feed',
  description:
    'Posts every event in the format of the Open Cybersecurity Schema Framework (class Entity Management), signed according to Standard Webhooks.',
  howTo:
    'In your SIEM, create an HTTP collector, and enter its URL and the Authorization header that it requires. The response shows the signing secret, which lets the collector verify each request.',
  parameters: [
    {
      name: 'url',
      displayName: 'URL',
      type: 'url',
      description: "URL of the SIEM's HTTP collector.",
      placeholder: 'https://siem.example.com/collect',
      required: true,
      sensitive: true,
    },
    {
      name: 'authorization',
      displayName: 'Authorization',
      type: 'text',
      description: 'Authorization header, if the collector requires one.',
      placeholder: 'Splunk 12345678-…',
      required: false,
      sensitive: true,
    },
    CUSTOM_HEADERS,
  ],
  tagTypes: [],
  signed: true,
  plan,
};
