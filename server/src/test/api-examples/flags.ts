import { PROJECT_PATH, type Recorder } from './recorder.ts';

const FEATURE_PATH = `${PROJECT_PATH}/features/pay.new-basket`;
const ENVIRONMENT_PATH = `${FEATURE_PATH}/environments/production`;
const SWEDEN = { contextName: 'country', operator: 'IN', values: ['SE'] };

export async function flags({ record, send }: Recorder): Promise<void> {
  await record('createProject', 'POST', '/api/admin/projects', {
    id: 'checkout',
    name: 'Checkout',
    description: 'Basket and checkout',
  });
  await record('updateProject', 'PUT', '/api/admin/projects/checkout', {
    name: 'Checkout',
    description: 'Basket, checkout and receipts',
  });
  await record('updateProjectSettings', 'PUT', `${PROJECT_PATH}/settings`, {
    featureLimit: 250,
    debtBudget: 20,
  });
  await record('checkFeatureNaming', 'POST', `${PROJECT_PATH}/settings/naming/validate`, {
    featureNaming: { pattern: 'pay\\.[a-z-]+', example: 'pay.checkout' },
  });
  await record('getProject', 'GET', PROJECT_PATH);
  await record('getProjects', 'GET', '/api/admin/projects');
  await record('getProjectEnvironment', 'GET', `${PROJECT_PATH}/environments/production`);
  await record('updateDefaultStrategy', 'POST', `${PROJECT_PATH}/environments/production/default-strategy`, {
    name: 'flexibleRollout',
    title: 'A tenth of customers',
    parameters: { rollout: '10', stickiness: 'default', groupId: 'payments' },
  });
  await record('getProjectEnvironments', 'GET', '/api/admin/environments/project/payments');
  await record('getChangeRequestConfig', 'GET', `${PROJECT_PATH}/change-requests/config`);

  const segment = await record('createSegment', 'POST', '/api/admin/segments', {
    name: 'Nordic customers',
    description: 'Customers in Sweden and Norway',
    constraints: [{ ...SWEDEN, values: ['SE', 'NO'] }],
  });

  await record('createFeature', 'POST', `${PROJECT_PATH}/features`, {
    name: 'pay.invoices',
    type: 'release',
    description: 'Pay by invoice',
    tags: [{ type: 'team', value: 'payments' }],
  });
  await record('updateFeature', 'PUT', `${PROJECT_PATH}/features/pay.invoices`, {
    type: 'release',
    description: 'Pay by invoice within 30 days',
  });
  await record('patchFeature', 'PATCH', `${PROJECT_PATH}/features/pay.invoices`, [
    { op: 'replace', path: '/impressionData', value: true },
  ]);
  const invoices = `${PROJECT_PATH}/features/pay.invoices/environments/production`;
  const strategy = await record('addFeatureStrategy', 'POST', `${invoices}/strategies`, {
    name: 'flexibleRollout',
    title: 'A tenth of customers in Sweden',
    parameters: { rollout: '10', stickiness: 'userId', groupId: 'pay.invoices' },
    constraints: [SWEDEN],
    variants: [
      { name: 'short', weight: 500, weightType: 'variable', payload: { type: 'string', value: '14 days' } },
      { name: 'long', weight: 500, weightType: 'variable', payload: { type: 'string', value: '30 days' } },
    ],
  });
  const strategyUrl = `${invoices}/strategies/${strategy.id}`;
  await record('updateFeatureStrategy', 'PUT', strategyUrl, {
    name: 'flexibleRollout',
    parameters: { rollout: '20', stickiness: 'userId', groupId: 'pay.invoices' },
    constraints: [SWEDEN],
  });
  await record('patchFeatureStrategy', 'PATCH', strategyUrl, [
    { op: 'replace', path: '/parameters/rollout', value: '25' },
  ]);
  await record('setSegmentsOfStrategy', 'POST', '/api/admin/segments/strategies', {
    projectId: 'payments',
    environmentId: 'production',
    strategyId: strategy.id,
    segmentIds: [segment.id],
  });
  await record('enableFeature', 'POST', `${invoices}/on`);
  await record('disableFeature', 'POST', `${invoices}/off`);
  await record('getFeatureStrategy', 'GET', strategyUrl);
  await record('getFeatureStrategies', 'GET', `${invoices}/strategies`);
  await record('getSegmentsOfStrategy', 'GET', `/api/admin/segments/strategies/${strategy.id}`);
  await record('getStrategiesOfSegment', 'GET', `/api/admin/segments/${segment.id}/strategies`);
  await record('getSegment', 'GET', `/api/admin/segments/${segment.id}`);
  await record('getSegments', 'GET', '/api/admin/segments');
  await record('getContextField', 'GET', '/api/admin/context/country');
  await record('getStrategiesOfContextField', 'GET', '/api/admin/context/country/strategies');
  await record(
    'setFeatureStrategies',
    'PUT',
    `${PROJECT_PATH}/features/pay.gift-cards/environments/production/strategies`,
    [
      {
        name: 'flexibleRollout',
        parameters: { rollout: '50', stickiness: 'default', groupId: 'pay.gift-cards' },
      },
    ],
  );
  await send('POST', `${invoices}/on`);

  const variants = [
    { name: 'blue', weight: 500, payload: { type: 'string', value: '#1d4ed8' } },
    { name: 'green', weight: 500, payload: { type: 'string', value: '#15803d' } },
  ];
  await record('updateVariants', 'PUT', `${ENVIRONMENT_PATH}/variants`, variants);
  await record('patchVariants', 'PATCH', `${ENVIRONMENT_PATH}/variants`, [
    { op: 'replace', path: '/0/payload/value', value: '#1e40af' },
  ]);
  await record('getVariants', 'GET', `${ENVIRONMENT_PATH}/variants`);
  await record('updateVariantsOfEnvironments', 'PUT', `${FEATURE_PATH}/variants-batch`, {
    variants,
    environments: ['development', 'staging'],
  });
  await record('getFeatureEnvironment', 'GET', ENVIRONMENT_PATH);
  await record('copyFeatureEnvironment', 'POST', `${FEATURE_PATH}/environments/staging/copy`, {
    from: 'production',
  });

  const link = await record('addFeatureLink', 'POST', `${FEATURE_PATH}/link`, {
    url: 'https://tickets.example.com/PAY-17',
    title: 'PAY-17',
  });
  await record('updateFeatureLink', 'PUT', `${FEATURE_PATH}/link/${link.id}`, {
    url: 'https://tickets.example.com/PAY-18',
    title: 'PAY-18',
  });
  await record('setFeatureOwners', 'PUT', `${FEATURE_PATH}/owners`, { owners: [{ type: 'user', id: 2 }] });
  await record('getFeatureOwners', 'GET', `${FEATURE_PATH}/owners`);
  await record('tagFeature', 'POST', '/api/admin/features/pay.gift-cards/tags', {
    type: 'team',
    value: 'payments',
  });
  await record('changeFeatureTags', 'PUT', '/api/admin/features/pay.gift-cards/tags', {
    addedTags: [{ type: 'simple', value: 'gifts' }],
    removedTags: [],
  });
  await record('getFeatureTags', 'GET', '/api/admin/features/pay.gift-cards/tags');
  await record('getTags', 'GET', '/api/admin/tags');
  await record('getTagsOfType', 'GET', '/api/admin/tags/team');
  await record('getTag', 'GET', '/api/admin/tags/team/payments');

  await record('getPossibleParents', 'GET', `${PROJECT_PATH}/features/pay.gift-cards/parents`);
  await send('POST', `${PROJECT_PATH}/features/pay.gift-cards/dependencies`, { feature: 'pay.new-basket' });
  await record('getParentVariants', 'GET', `${FEATURE_PATH}/parent-variants`);
  await record('checkDependenciesExist', 'GET', `${PROJECT_PATH}/dependencies`);

  const manifest = `${PROJECT_PATH}/openfeature/v0/manifest`;
  const pushedFlag = {
    key: 'pay.pushed',
    type: 'boolean',
    defaultValue: false,
    description: 'From a manifest',
  };
  await record('createManifestFlag', 'POST', `${manifest}/flags`, pushedFlag);
  await record('updateManifestFlag', 'PUT', `${manifest}/flags/pay.pushed`, pushedFlag);
  await record('getManifest', 'GET', manifest);
  await record('archiveManifestFlag', 'DELETE', `${manifest}/flags/pay.pushed`);
  await record('cloneFeature', 'POST', `${PROJECT_PATH}/features/pay.invoices/clone`, {
    name: 'pay.invoices-b2b',
  });
  await record('cloneFeatures', 'POST', '/api/admin/projects/checkout/clone', {
    features: [{ feature: 'pay.old-cards', name: 'checkout.old-cards' }],
  });
  await send('PATCH', `${PROJECT_PATH}/features/pay.invoices-b2b`, [
    { op: 'replace', path: '/description', value: 'Pay by invoice, for companies' },
  ]);
  await record('getFeatureDrift', 'GET', `${PROJECT_PATH}/features/pay.invoices-b2b/drift`);
  await record('getFeatureCopies', 'GET', `${PROJECT_PATH}/features/pay.invoices/copies`);

  await send('POST', `${PROJECT_PATH}/features/pay.invoices-b2b/lifecycle/complete`, { status: 'kept' });
  await record('getFeatureLifecycle', 'GET', `${PROJECT_PATH}/features/pay.invoices-b2b/lifecycle`);
  await record('getLifecycleCount', 'GET', '/api/admin/lifecycle/count');
  await record('validateArchive', 'POST', `${PROJECT_PATH}/archive/validate`, {
    features: ['pay.new-basket'],
  });
  await record('getFeature', 'GET', FEATURE_PATH);
  await record('getFeatures', 'GET', `${PROJECT_PATH}/features`);
  await record('getProjectOverview', 'GET', `${PROJECT_PATH}/overview`);
  await record('searchFeatures', 'GET', '/api/admin/search/features?project=IS:payments&limit=2');
  await record('getFlagCreators', 'GET', '/api/admin/flag-creators');
  await record('getFlagCreatorsOfProject', 'GET', `${PROJECT_PATH}/flag-creators`);

  await record('getProjectHealth', 'GET', `${PROJECT_PATH}/health`);
  await record('getProjectHealthHistory', 'GET', `${PROJECT_PATH}/health/history`);
  await record('getProjectHealthReport', 'GET', `${PROJECT_PATH}/health-report`);
  await record('getProjectStatus', 'GET', `${PROJECT_PATH}/status`);
  await record('getProjectInsights', 'GET', `${PROJECT_PATH}/insights`);
  await record('snoozeFinding', 'PUT', `${PROJECT_PATH}/health/findings/stale/pay.old-cards/snooze`, {
    reason: 'Removed with the next release',
    until: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  });

  const data = await record('exportFeatures', 'POST', '/api/admin/features-batch/export', {
    features: ['pay.invoices'],
    environment: 'production',
  });
  await record('validateImport', 'POST', '/api/admin/features-batch/validate', {
    project: 'payments',
    environment: 'staging',
    data,
  });
  const context = { userId: '7', properties: { country: 'SE' } };
  await record('getPlayground', 'POST', '/api/admin/playground', {
    environment: 'production',
    projects: ['payments'],
    context,
  });
  await record('getAdvancedPlayground', 'POST', '/api/admin/playground/advanced', {
    environments: ['production'],
    projects: ['payments'],
    context: { userId: '7,11', country: 'SE' },
  });
}
