export const platformRoutes = [] as const
