import { useQuery } from '@tanstack/react-query';
import { Wrench } from 'lucide-react';
import { maintenanceQuery } from '../instance/queries.ts';
import s from './Shell.module.css';

/** Says why nothing can be saved. */
export function MaintenanceBanner() {
  const { data } = useQuery(maintenanceQuery);
  return (
    <div role="status">
      {data?.enabled && (
        <p className={s.banner}>
          <Wrench size={14} aria-hidden="true" /> Halyard is in maintenance mode. Nothing can be changed; SDKs
          continue to get flags.
        </p>
      )}
    </div>
  );
}
