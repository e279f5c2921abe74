# The image of the Deployments that `rackwright install` and the chart make.
#   npm run build && docker build --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:DIGEST -t rackwright:0.1.0 .
# A tag may be another image tomorrow, so the base is named by its digest: docs/installing.md says how to find it.
ARG NODE_IMAGE
FROM ${NODE_IMAGE} AS base
ARG NODE_IMAGE
RUN case "$NODE_IMAGE" in *@sha256:*) ;; *) echo "name NODE_IMAGE by its digest: IMAGE@sha256:DIGEST" >&2; exit 1 ;; esac

FROM base AS dependencies
WORKDIR /rackwright
COPY package.json package-lock.json ./
# The image brings its own Node, so that the one of the npm package is of no use here. Optional packages only build the console, which dist/ has built.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-fund --no-audit && rm -rf node_modules/node

# Ansible and network-runner for AnsibleSwitches. Of the 500 MB of collections only those of EOS, NX-OS and Junos are kept.
FROM base AS ansible
RUN apt-get update && apt-get install --yes --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
COPY test/real/switches/requirements.lock test/real/switches/collections.lock /tmp/
RUN python3 -m venv /opt/ansible \
  && /opt/ansible/bin/pip install --no-cache-dir --no-deps --require-hashes -r /tmp/requirements.lock \
  && /opt/ansible/bin/pip download --no-cache-dir --no-deps --require-hashes -d /tmp/wheel -r /tmp/collections.lock \
  && cd /opt/ansible && mkdir collections && cd collections \
  && python3 -c "import glob, zipfile; kept = tuple('ansible_collections/' + name + '/' for name in ('arista/eos', 'cisco/nxos', 'junipernetworks/junos', 'ansible/netcommon', 'ansible/utils')); wheel = zipfile.ZipFile(glob.glob('/tmp/wheel/*.whl')[0]); wheel.extractall('.', [name for name in wheel.namelist() if name.startswith(kept)])" \
  && rm -rf /tmp/wheel

FROM base
# ssh refuses to work for a user without a name; passwords are typed for it by sshpass.
RUN apt-get update && apt-get install --yes --no-install-recommends python3 openssh-client sshpass \
  && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 65532 rackwright && useradd --uid 65532 --gid 65532 --no-create-home --home-dir /tmp rackwright
ENV NODE_ENV=production
ENV RACKWRIGHT_ANSIBLE_PYTHON=/opt/ansible/bin/python RACKWRIGHT_ANSIBLE_COLLECTIONS=/opt/ansible/collections
WORKDIR /rackwright
COPY --from=ansible /opt/ansible /opt/ansible
COPY --from=dependencies /rackwright/node_modules node_modules
COPY dist .
USER 65532:65532
ENTRYPOINT ["node", "--max-semi-space-size=4", "--heap-growing-percent=20", "bin/rackwright.mjs"]
