import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loginSearch } from '../login/login-search.ts'
import { rootRoute } from '../root-route.tsx'

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

const safetyRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'safety',
  component: lazyRouteComponent(() => import('../safety/safety-page.tsx'), 'SafetyPage'),
})

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'admin/login',
  validateSearch: loginSearch,
  component: lazyRouteComponent(() => import('../login/login-page.tsx'), 'AdminLoginPage'),
})

export const adminRoutes = [adminRoute.addChildren([overviewRoute, safetyRoute]), loginRoute] as const
