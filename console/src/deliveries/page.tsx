import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Blocks } from 'lucide-react';
import { RequestError } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { IntegrationFrame } from '../integrations/Frame.tsx';
import { integrationQuery, integrationsQuery } from '../integrations/queries.ts';
import { getIntegrationTitle } from '../integrations/words.ts';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { Deliveries } from './Deliveries.tsx';

/** Lists the deliveries of all integrations. */
export function DeliveriesPage() {
  const { search, replace } = useFilters();
  const missingPermissions = useMissingPermissions('getDeliveries');
  const integrations = useQuery(integrationsQuery).data;
  if (missingPermissions.length > 0)
    return (
      <Page title="Deliveries">
        <Forbidden missingPermissions={missingPermissions} />
      </Page>
    );
  return (
    <Page
      title="Deliveries"
      note="All integrations"
      actions={
        <Button component={Link} to="/integrations" leftSection={<Blocks size={14} />}>
          Integrations
        </Button>
      }
    >
      <Deliveries
        selected={
          search.delivery && search.integration
            ? { id: String(search.delivery), integrationId: Number(search.integration) }
            : undefined
        }
        getIntegrationName={id => {
          const integration = integrations?.addons.find(addon => addon.id === id);
          return integration && getIntegrationTitle(integration, integrations?.providers);
        }}
        onSelect={delivery =>
          replace({
            delivery: delivery?.id,
            integration: delivery && String(delivery.integrationId),
            attempt: undefined,
          })
        }
      />
    </Page>
  );
}

/** Lists the deliveries of one integration. `?delivery=44` selects a delivery. */
export function IntegrationDeliveriesPage() {
  const { integrationId = '' } = useParams({ strict: false });
  const { search, replace } = useFilters();
  return (
    <IntegrationDeliveries
      key={integrationId}
      integrationId={integrationId}
      deliveryId={search.delivery === undefined ? undefined : String(search.delivery)}
      onSelect={id => replace({ delivery: id, attempt: undefined })}
    />
  );
}

/** Shows the linked delivery in its integration's list. */
export function DeliveryPage() {
  const { integrationId = '', deliveryId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  return (
    <IntegrationDeliveries
      key={integrationId}
      integrationId={integrationId}
      deliveryId={deliveryId}
      onSelect={id =>
        void navigate({
          to: '/integrations/$integrationId/deliveries',
          params: { integrationId },
          search: { delivery: id },
        })
      }
    />
  );
}

function IntegrationDeliveries({
  integrationId,
  deliveryId,
  onSelect,
}: {
  integrationId: string;
  deliveryId: string | undefined;
  onSelect(id: string | undefined): void;
}) {
  const missingPermissions = useMissingPermissions('getIntegrationEvents');
  const integrationResult = useQuery(integrationQuery(integrationId));
  const integration = integrationResult.data?.integration;
  const integrations = useQuery(integrationsQuery);
  const provider = integrations.data?.providers.find(({ name }) => name === integration?.provider);
  const error = integrationResult.error ?? integrations.error;
  if (integration && provider)
    return (
      <IntegrationFrame integration={integration} provider={provider}>
        {missingPermissions.length > 0 ? (
          <Forbidden missingPermissions={missingPermissions} />
        ) : (
          <Deliveries
            integration={integration}
            selected={
              deliveryId === undefined ? undefined : { id: deliveryId, integrationId: integration.id }
            }
            onSelect={delivery => onSelect(delivery?.id)}
          />
        )}
      </IntegrationFrame>
    );
  return (
    <Page title="Deliveries">
      {error ? <Failure error={error} onRetry={() => void integrationResult.refetch()} /> : <Skeleton />}
    </Page>
  );
}

/** Shows the message that the server would respond with, instead of sending requests that it would reject. */
function Forbidden({ missingPermissions }: { missingPermissions: readonly string[] }) {
  const message = `This operation requires the permission ${missingPermissions.join(' or ')}.`;
  return <Failure error={new RequestError(403, { message })} />;
}
