import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as v from 'valibot'
import { agentSearch, agentsSearch, offset } from '../api/search.ts'
import { loginSearch } from '../login/login-search.ts'
import { rootRoute } from '../root-route.tsx'

const platformRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'platform',
  component: lazyRouteComponent(() => import('./platform-shell.tsx'), 'PlatformShell'),
})

const startRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./start/start-page.tsx'), 'StartPage'),
})

const ownersRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'owners',
  validateSearch: v.object({ offset }),
  component: lazyRouteComponent(() => import('./owners/owners-page.tsx'), 'OwnersPage'),
})

const agentsRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'agents',
  validateSearch: agentsSearch,
  component: lazyRouteComponent(() => import('./agents-page.tsx'), 'PlatformAgentsPage'),
})

const agentRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'agents/$agentId',
  validateSearch: agentSearch,
  component: lazyRouteComponent(() => import('./agent-page.tsx'), 'PlatformAgentPage'),
})

const webhooksRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'webhooks',
  validateSearch: v.object({
    status: v.fallback(v.optional(v.picklist(['pending', 'delivered', 'failed'])), undefined),
    offset,
  }),
  component: lazyRouteComponent(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'platform/login',
  validateSearch: loginSearch,
  component: lazyRouteComponent(() => import('../login/login-page.tsx'), 'PlatformLoginPage'),
})

export const platformRoutes = [
  platformRoute.addChildren([startRoute, ownersRoute, agentsRoute, agentRoute, webhooksRoute]),
  loginRoute,
] as const
