import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loginSearch } from '../login/login-search.ts'
import { rootRoute } from '../root-route.tsx'
import {
  alertsSearch,
  deliveriesSearch,
  differencesSearch,
  networkSearch,
  ownersSearch,
  pageSearch,
  skipsSearch,
} from './search.ts'

const adminRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'admin',
  component: lazyRouteComponent(() => import('./admin-shell.tsx'), 'AdminShell'),
})

const overviewRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
})

const ownersRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'owners',
  validateSearch: ownersSearch,
  component: lazyRouteComponent(() => import('./owners/owners-page.tsx'), 'OwnersPage'),
})

const ownerRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'owners/$ownerId',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./owners/owner-page.tsx'), 'OwnerPage'),
})

const tiersRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'tiers',
  component: lazyRouteComponent(() => import('./tiers-page.tsx'), 'TiersPage'),
})

const agentsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'agents',
  validateSearch: networkSearch,
  component: lazyRouteComponent(() => import('./agents/agents-page.tsx'), 'AgentsPage'),
})

const agentRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'agents/$agentId',
  component: lazyRouteComponent(() => import('./agents/agent-page.tsx'), 'AgentPage'),
})

const riskRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'risk',
  validateSearch: alertsSearch,
  component: lazyRouteComponent(() => import('./risk/risk-page.tsx'), 'RiskPage'),
})

const alertRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'risk/$alertId',
  component: lazyRouteComponent(() => import('./risk/alert-page.tsx'), 'AlertPage'),
})

const checksRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'checks',
  component: lazyRouteComponent(() => import('./checks/checks-page.tsx'), 'ChecksPage'),
})

const reconciliationRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'checks/reconciliation',
  validateSearch: differencesSearch,
  component: lazyRouteComponent(() => import('./checks/reconciliation-page.tsx'), 'ReconciliationPage'),
})

const settlementsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'checks/settlements',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./checks/settlements-page.tsx'), 'SettlementsPage'),
})

const settlementRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'checks/settlements/$day',
  validateSearch: skipsSearch,
  component: lazyRouteComponent(() => import('./checks/settlement-page.tsx'), 'SettlementPage'),
})

const deliveriesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'checks/deliveries',
  validateSearch: deliveriesSearch,
  component: lazyRouteComponent(() => import('./checks/deliveries-page.tsx'), 'DeliveriesPage'),
})

const walletsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'checks/wallets',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./checks/wallets-page.tsx'), 'WalletsPage'),
})

const safetyRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'safety',
  component: lazyRouteComponent(() => import('../safety/safety-page.tsx'), 'AdminSafetyPage'),
})

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'admin/login',
  validateSearch: loginSearch,
  component: lazyRouteComponent(() => import('../login/login-page.tsx'), 'AdminLoginPage'),
})

export const adminRoutes = [
  adminRoute.addChildren([
    overviewRoute,
    ownersRoute,
    ownerRoute,
    tiersRoute,
    agentsRoute,
    agentRoute,
    riskRoute,
    alertRoute,
    checksRoute,
    reconciliationRoute,
    settlementsRoute,
    settlementRoute,
    deliveriesRoute,
    walletsRoute,
    safetyRoute,
  ]),
  loginRoute,
] as const
