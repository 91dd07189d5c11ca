import { PROJECT_PATH, type Recorder } from './recorder.ts';

export async function integrations({ record, send, deliveries }: Recorder): Promise<void> {
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const fields = {
    provider: 'webhook',
    enabled: true,
    description: 'Posts to the release channel',
    events: ['feature-environment-enabled', 'feature-environment-disabled'],
    projects: ['payments'],
    parameters: { url: `${deliveries.receiver.url}/hook` },
  };
  const webhook = await record('createAddon', 'POST', '/api/admin/addons', fields);
  const integrationPath = `/api/admin/addons/${webhook.id}`;
  await record('updateAddon', 'PUT', integrationPath, { ...fields, description: 'Posts to #releases' });
  await record('getAddon', 'GET', integrationPath);
  await record('getAddons', 'GET', '/api/admin/addons');
  await record('disableAddon', 'POST', `${integrationPath}/off`);
  await record('enableAddon', 'POST', `${integrationPath}/on`);
  await record('rotateAddonSecret', 'POST', `${integrationPath}/rotate-secret`, {});
  await record('previewAddonFilter', 'POST', '/api/admin/addons/preview', {
    events: ['feature-environment-enabled'],
    projects: ['payments'],
    filter: { environment: 'IS:production' },
  });
  await record('previewAddon', 'POST', `${integrationPath}/preview`, { days: 7 });
  await record('backfillAddon', 'POST', `${integrationPath}/backfill?dryRun=true`, { from: since });

  deliveries.receiver.respondWith(503);
  await send('POST', `${PROJECT_PATH}/features/pay.new-basket/environments/production/off`);
  const [failedDelivery] = await deliveries.waitUntilSettled(webhook.id);
  const deliveryPath = `${integrationPath}/events/${failedDelivery?.id}`;
  await record('redeliverIntegrationEvent', 'POST', `${deliveryPath}/redeliver?dryRun=true`);
  await record('redeliverFailedIntegrationEvents', 'POST', `${integrationPath}/redeliver?dryRun=true`, {
    since,
  });
  deliveries.receiver.respondWith(200);
  await record('redeliverIntegrationEvent', 'POST', `${deliveryPath}/redeliver`);
  await deliveries.waitUntilSettled(webhook.id);
  await record('redeliverFailedIntegrationEvents', 'POST', `${integrationPath}/redeliver`, { since });
  await record('backfillAddon', 'POST', `${integrationPath}/backfill`, { from: since });
  await deliveries.waitUntilSettled(webhook.id);
  await record('getIntegrationEvents', 'GET', `${integrationPath}/events?limit=1`);
  await record('getIntegrationEvent', 'GET', deliveryPath);
  await record('getDeliveries', 'GET', '/api/admin/deliveries?limit=1');
  await record('getIntegrationStats', 'GET', `${integrationPath}/stats`);
  const toggleEvents = await record(
    'searchEvents',
    'GET',
    '/api/admin/search/events?feature=IS:pay.new-basket&type=IS:feature-environment-disabled',
  );
  const { id } = toggleEvents.events[0];
  await record('getEvent', 'GET', `/api/admin/events/${id}`);
  await record('getEventDeliveries', 'GET', `/api/admin/events/${id}/deliveries`);
  await record('getEventReach', 'GET', `/api/admin/events/${id}/reach`);
  await record('countEvents', 'GET', '/api/admin/search/events/counts?by=type&project=IS:payments');
  await record('getEventCreators', 'GET', '/api/admin/event-creators');
  await record('getEventTypes', 'GET', '/api/admin/event-types');
}

export async function instance({ record }: Recorder): Promise<void> {
  await record('getInstance', 'GET', '/api/admin/instance');
  await record('getInstanceStatistics', 'GET', '/api/admin/instance-admin/statistics');
  await record('getDiagnostics', 'GET', '/api/admin/instance/diagnostics');
  await record('getMaintenance', 'GET', '/api/admin/maintenance');
  await record('getUiConfig', 'GET', '/api/admin/ui-config');
  await record('getHealth', 'GET', '/health', undefined, { token: null });
  await record('getReady', 'GET', '/ready', undefined, { token: null });
}
