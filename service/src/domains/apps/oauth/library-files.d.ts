declare module 'oidc-provider/lib/provider.js'
declare module 'oidc-provider/lib/helpers/errors.js'
declare module 'oidc-provider/lib/helpers/interaction_policy/index.js'
