import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../json.ts';
import { findTask, isTaskUri, toTaskUri } from './index.ts';

interface Form {
  readonly who: string;
  readonly status?: number;
  readonly location?: string;
  readonly body?: JsonObject;
  readonly taskUri: string | undefined;
  readonly monitorUri?: string;
}

const task7 = '/redfish/v1/TaskService/Tasks/7';

const forms: readonly Form[] = [
  {
    who: 'Dell iDRAC9: the Location is the task',
    location: '/redfish/v1/TaskService/Tasks/JID_467696020275',
    taskUri: '/redfish/v1/TaskService/Tasks/JID_467696020275',
  },
  {
    who: 'Dell 17G: the Location is a monitor of the same name that answers with nothing',
    location: '/redfish/v1/TaskService/TaskMonitors/JID_839968767020',
    taskUri: '/redfish/v1/TaskService/Tasks/JID_839968767020',
    monitorUri: '/redfish/v1/TaskService/TaskMonitors/JID_839968767020',
  },
  {
    who: 'OpenBMC: the monitor is below the task',
    location: '/redfish/v1/TaskService/Tasks/12/Monitor',
    body: { '@odata.id': '/redfish/v1/TaskService/Tasks/12', '@odata.type': '#Task.v1_4_3.Task', TaskState: 'Running' },
    taskUri: '/redfish/v1/TaskService/Tasks/12',
    monitorUri: '/redfish/v1/TaskService/Tasks/12/Monitor',
  },
  {
    who: 'OpenBMC without a body',
    location: '/redfish/v1/TaskService/Tasks/12/Monitor/',
    taskUri: '/redfish/v1/TaskService/Tasks/12',
    monitorUri: '/redfish/v1/TaskService/Tasks/12/Monitor/',
  },
  {
    who: 'HPE: TaskMonitor in the body, no header',
    body: {
      '@odata.id': task7,
      '@odata.type': '#Task.v1_4_0.Task',
      TaskMonitor: '/redfish/v1/TaskService/TaskMonitors/7',
    },
    taskUri: task7,
    monitorUri: '/redfish/v1/TaskService/TaskMonitors/7',
  },
  {
    who: 'HPE: the monitor alone',
    status: 200,
    body: { TaskMonitor: '/redfish/v1/TaskService/TaskMonitors/7' },
    taskUri: task7,
    monitorUri: '/redfish/v1/TaskService/TaskMonitors/7',
  },
  {
    who: 'Lenovo: the task in the body goes before a monitor that deletes it',
    location: '/redfish/v1/TaskService/0f37ef7d-monitor',
    body: { '@odata.id': '/redfish/v1/TaskService/Tasks/0f37ef7d', '@odata.type': '#Task.v1_5_1.Task' },
    taskUri: '/redfish/v1/TaskService/Tasks/0f37ef7d',
    monitorUri: '/redfish/v1/TaskService/0f37ef7d-monitor',
  },
  {
    who: 'a link to the task',
    status: 200,
    body: { Task: { '@odata.id': task7 } },
    taskUri: task7,
  },
  {
    who: 'Supermicro: the arguments of a message',
    body: {
      Accepted: {
        code: 'Base.v1_10_3.Accepted',
        Message: 'Successfully Accepted Request. Please see the location header and ExtendedInfo for more information.',
        '@Message.ExtendedInfo': [
          {
            MessageId: 'SMC.1.0.OemSimpleupdateAcceptedMessage',
            Severity: 'Ok',
            Message: 'Please also check Task Resource /redfish/v1/TaskService/Tasks/1 to see more information.',
            MessageArgs: ['/redfish/v1/TaskService/Tasks/1'],
            RelatedProperties: ['BmcVerifyAccepted'],
          },
        ],
      },
    },
    taskUri: '/redfish/v1/TaskService/Tasks/1',
  },
  {
    who: 'Supermicro: a monitor with a name of its own in the Location, by another host name',
    location: 'http://localhost:4661/redfish/v1/TaskMonitor/gd5n5ffS4gi9r6YKVZmgIIaj8ECLfnc',
    body: { Accepted: { '@Message.ExtendedInfo': { MessageArgs: ['/redfish/v1/TaskService/Tasks/546'] } } },
    taskUri: '/redfish/v1/TaskService/Tasks/546',
    monitorUri: '/redfish/v1/TaskMonitor/gd5n5ffS4gi9r6YKVZmgIIaj8ECLfnc',
  },
  { who: 'sushy-tools: 204 and a Location', status: 204, location: task7, taskUri: task7 },
  {
    who: 'a 202 whose Location is like no other',
    location: '/redfish/v1/Oem/Work/1',
    taskUri: '/redfish/v1/Oem/Work/1',
  },
  {
    who: 'Dell: the Location of a 201 is the stored image and no task',
    status: 201,
    location: '/redfish/v1/UpdateService/FirmwareInventory/Available-159-2.10.2',
    taskUri: undefined,
  },
  { who: 'nothing at all', status: 204, taskUri: undefined },
  { who: 'a Location that climbs', location: '/redfish/../../etc/passwd', taskUri: undefined },
];

for (const { who, status = 202, location, body = {}, ...expected } of forms) {
  test(`finds the task in the answer of ${who}`, () => {
    const headers = location === undefined ? {} : { location };
    assert.deepEqual(findTask({ status, headers, body }), {
      taskUri: expected.taskUri,
      monitorUri: expected.monitorUri,
    });
  });
}

test('takes only members of task and job collections for tasks', () => {
  assert.equal(isTaskUri('/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/Jobs/JID_1'), true);
  assert.equal(isTaskUri('/redfish/v1/TaskService/Tasks'), false);
  assert.equal(isTaskUri('/redfish/v1/TaskService/Tasks/1/Monitor'), false);
});

test('does not guess a task from a monitor with a name of its own', () => {
  assert.equal(toTaskUri('/redfish/v1/TaskMonitor/gd5n'), '/redfish/v1/TaskMonitor/gd5n');
});
