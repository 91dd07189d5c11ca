const tokenScheme = (types: string) =>
  ({
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: `An API token of type ${types}, with or without the prefix "Bearer ".`,
  }) as const;

/** The tokens that operations for SDKs require. */
export const SDK_TOKEN_SCHEMES = {
  sdkToken: tokenScheme('backend or client'),
  frontendToken: tokenScheme('frontend'),
  edgeToken: tokenScheme('edge'),
};
