import type * as library from 'oidc-provider'
import * as failures from 'oidc-provider/lib/helpers/errors.js'
import * as policy from 'oidc-provider/lib/helpers/interaction_policy/index.js'
import { Provider as ProviderClass } from 'oidc-provider/lib/provider.js'

// The parts of the library by their files: its index writes to standard error on a Node that is not LTS yet.
export const Provider: typeof library.Provider = ProviderClass
export type Provider = library.Provider
export const errors: typeof library.errors = failures
export const interactionPolicy: typeof library.interactionPolicy = policy
export type Policy = library.interactionPolicy.DefaultPolicy
