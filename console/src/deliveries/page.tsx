import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Blocks } from 'lucide-react';
import { RequestError } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { IntegrationFrame } from '../integrations/Frame.tsx';
import { integrationQuery, integrationsQuery } from '../integrations/queries.ts';
import { titleOf } from '../integrations/words.ts';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { Deliveries } from './Deliveries.tsx';

/** The deliveries of all integrations. */
export function DeliveriesPage() {
  const { search, replace } = useFilters();
  const missing = useMissingPermissions('getDeliveries');
  const integrations = useQuery(integrationsQuery).data;
  if (missing.length > 0)
    return (
      <Page title="Deliveries">
        <Forbidden missing={missing} />
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
        nameOf={id => {
          const found = integrations?.addons.find(one => one.id === id);
          return found && titleOf(found, integrations?.providers);
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

/** The deliveries of one integration. `?delivery=44` selects one. */
export function IntegrationDeliveriesPage() {
  const { integrationId = '' } = useParams({ strict: false });
  const { search, replace } = useFilters();
  return (
    <OfIntegration
      key={integrationId}
      integrationId={integrationId}
      deliveryId={search.delivery === undefined ? undefined : String(search.delivery)}
      onSelect={id => replace({ delivery: id, attempt: undefined })}
    />
  );
}

/** One delivery by its link, in the list of its integration. */
export function DeliveryPage() {
  const { integrationId = '', deliveryId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  return (
    <OfIntegration
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

function OfIntegration({
  integrationId,
  deliveryId,
  onSelect,
}: {
  integrationId: string;
  deliveryId: string | undefined;
  onSelect(id: string | undefined): void;
}) {
  const missing = useMissingPermissions('getIntegrationEvents');
  const found = useQuery(integrationQuery(integrationId));
  const integration = found.data?.integration;
  const list = useQuery(integrationsQuery);
  const provider = list.data?.providers.find(({ name }) => name === integration?.provider);
  const error = found.error ?? list.error;
  if (integration && provider)
    return (
      <IntegrationFrame integration={integration} provider={provider}>
        {missing.length > 0 ? (
          <Forbidden missing={missing} />
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
      {error ? <Failure error={error} onRetry={() => void found.refetch()} /> : <Skeleton />}
    </Page>
  );
}

/** The message of the server, without requests that it would reject. */
function Forbidden({ missing }: { missing: readonly string[] }) {
  const message = `This operation requires the permission ${missing.join(' or ')}.`;
  return <Failure error={new RequestError(403, { message })} />;
}
