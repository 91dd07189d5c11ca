type Value = string | number | boolean;

/** The fields of a user and a request that an application passes to its SDK. */
export type Context = {
  appName?: string;
  environment?: string;
  userId?: string;
  sessionId?: string;
  remoteAddress?: string;
  currentTime?: string;
  properties?: Record<string, Value>;
  [field: string]: unknown;
};

/**
 * Returns the value that a constraint on the field compares. A context field takes precedence over a property with the same name.
 */
export function getContextValue(context: Context, field: string): string | undefined {
  const fieldValue = Object.hasOwn(context, field) ? context[field] : undefined;
  const { properties = {} } = context;
  const value = fieldValue ?? (Object.hasOwn(properties, field) ? properties[field] : undefined);
  return value === undefined || value === null ? undefined : String(value);
}
