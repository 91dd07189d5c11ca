/** The environment variables that the CLI reads, apart from those that are common to many programs. */
export const CLI_VARIABLES: Record<string, string> = {
  HALYARD_SERVER: 'URL of the server, instead of the one in the profile',
  HALYARD_TOKEN: 'Token, instead of the one in the profile. For pipelines',
  HALYARD_PROFILE: 'Profile to use, instead of the current one',
  HALYARD_PROJECT: 'Project that commands use by default',
  HALYARD_ENVIRONMENT: 'Environment that commands use by default',
  HALYARD_OUTPUT: 'text or json, instead of the default for the terminal',
  HALYARD_SDK_TOKEN: 'API token that `halyard dev` uses to read flags, as an SDK does',
  HALYARD_WEBHOOK_SECRET: 'Signing secret for `halyard listen`',
};
