# The build stage. The manifest and the lock file are copied first, so that Docker's cache keeps the installation while only sources change.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.types.json ./
COPY spec spec
COPY fixtures fixtures
COPY src src
RUN npm run --silent build

FROM node:24-slim
LABEL org.opencontainers.image.title="convsim" \
      org.opencontainers.image.description="A simulator of the conversation-analytics service, for people who write clients of it" \
      org.opencontainers.image.licenses="MIT"
# HOST is 0.0.0.0, since a container's loopback cannot be reached from outside. The port mapping (`docker run -p`) decides who can reach
# the API and the control plane, so the control plane needs no token.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4010 CONVSIM_STATE=/data/state.json CONVSIM_CONTROL_OPEN=true
# The C library uses one heap for all threads: a twentieth less memory, at the same measured speed (test/bench/FINDINGS.md).
ENV MALLOC_ARENA_MAX=1
WORKDIR /app
COPY package.json LICENSE ./
COPY spec spec
COPY fixtures fixtures
# dist/ contains all libraries with their licences, so the image has no node_modules.
COPY --from=build /app/dist dist
# A new volume takes the owner of this folder.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 4010
# The check finds the server's port, whether PORT or --port sets it.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "/app/dist/cli.js", "healthcheck"]
# The path is absolute, so that `-w /work` only changes the folder that relative paths of contracts start from.
ENTRYPOINT ["node", "/app/dist/cli.js"]
CMD []
