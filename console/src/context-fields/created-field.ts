// An editor opens the form for a new context field in a new tab, and uses the field as soon as it exists.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keys } from '../api/keys.ts';
import type { ContextField } from './queries.ts';

const CHANNEL = 'halyard-context-field';

/** Tells this browser's other windows that the user has created a context field. */
export function announceField(name: string): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(name);
  channel.close();
}

/**
 * Calls `onCreated` with the next field that the user creates in a different window. Returns a function that starts waiting for
 * it. If the user chooses a different field in the meantime, the waiting ends.
 */
export function useCreatedField(
  fields: readonly ContextField[],
  chosenName: string,
  onCreated: (field: ContextField) => void,
): () => void {
  const client = useQueryClient();
  /** The name of the chosen field at the time when the waiting started. */
  const [startName, setStartName] = useState<string>();
  const [createdName, setCreatedName] = useState<string>();
  const isWaiting = startName !== undefined && startName === chosenName;
  useEffect(() => {
    if (!isWaiting) return;
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }) => {
      setCreatedName(String(data));
      void client.invalidateQueries({ queryKey: keys.contextFields });
    };
    return () => channel.close();
  }, [isWaiting, client]);
  const created = isWaiting ? fields.find(({ name }) => name === createdName) : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs once for each created field
  useEffect(() => {
    if (!created) return;
    setStartName(undefined);
    setCreatedName(undefined);
    onCreated(created);
  }, [created]);
  return () => setStartName(chosenName);
}
