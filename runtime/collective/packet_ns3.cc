/* packet.h by ns-3: its links, devices and queues carry the packets; senders, marking and receivers
 * are here. */
#include "runtime/collective/packet_ns3.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

namespace {

constexpr uint32_t kInDevice = 2;      // bytes of the header that ns-3's device adds by itself: PPP
constexpr uint16_t kProtocol = 0x0800; // the devices know IPv4 and IPv6; nobody looks
constexpr int kFastSteps = 5;          // F of DCQCN
constexpr double kGiveUp = 20;         // packets sent for each that is needed

class Label : public Tag { // what a packet says of itself
 public:
  uint64_t at = 0; // place of its first byte in the flow
  uint32_t flow = 0, size = 0, epoch = 0;
  uint16_t hop = 0;
  uint8_t marked = 0;

  static TypeId GetTypeId() {
    static TypeId id = TypeId("trainspec::Label").SetParent<Tag>().AddConstructor<Label>();
    return id;
  }
  TypeId GetInstanceTypeId() const override { return GetTypeId(); }
  uint32_t GetSerializedSize() const override { return 23; }
  void Serialize(TagBuffer b) const override {
    b.WriteU64(at), b.WriteU32(flow), b.WriteU32(size), b.WriteU32(epoch), b.WriteU16(hop),
      b.WriteU8(marked);
  }
  void Deserialize(TagBuffer b) override {
    at = b.ReadU64(), flow = b.ReadU32(), size = b.ReadU32(), epoch = b.ReadU32(),
    hop = b.ReadU16(), marked = b.ReadU8();
  }
  void Print(std::ostream &) const override {}
};

struct Flow {
  const ts_packet_flow *of;
  uint64_t sent = 0, received = 0;
  Time propagation, next, end; // of its path; when it may send again
  double rate, target, alpha = 1; // bytes/s
  Time cut, stepped,
    report_after; // when the rate was last cut, and last taken a step up; when the receiver may report again
  int stage = 0;                  // steps since the cut
  uint32_t epoch = 0; // times that it went back
  bool going_back = false;
};

struct Nic { // flows that begin on one link
  std::vector<uint32_t> flows;
  size_t turn = 0;
  Time free;
  EventId next;
};

class Simulation;

struct Port { // a directed link
  Simulation *simulation = nullptr;
  Ptr<PointToPointNetDevice> sender;
  Ptr<Queue<Packet>> queue;
  uint32_t limit = 0; // bytes; UINT32_MAX: nothing is lost
  double mark_from = 0, mark_to = 0; // bytes
  bool Arrived(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address &);
};

// A Time is a number of steps, of a picosecond each: ts_packet_ns3_play. (Its conversions from units go by a variable that each library has for itself.)
Time Picoseconds(uint64_t ps) { return Time(static_cast<int64_t>(ps)); }
Time Rounded(double ps) { return Time(static_cast<int64_t>(ps + 0.5)); }

class Simulation {
 public:
   explicit Simulation(const ts_packet_job *job)
       : job_(*job), with_(*job->with), ports_(2 * size_t{job->link_count}),
         nic_of_(2 * size_t{job->link_count}), parts_(job->flow_count),
         expected_(ts_packet_count(job))
   {
     for (uint32_t i = 0; i < job->node_count; i++)
       nodes_.push_back(CreateObject<Node>());
     for (uint32_t l = 0; l < job->link_count; l++)
       AddLink(l);
     for (uint32_t f = 0; f < job->flow_count; f++)
       AddFlow(f);
   }

  ~Simulation() { // a device and its channel hold each other
    for (Port &port : ports_)
      port.sender->Dispose();
  }
  Simulation(const Simulation &) = delete;
  Simulation &operator=(const Simulation &) = delete;

  ts_packet_status Play(uint64_t *end) {
    Simulator::Stop(Picoseconds(UINT64_C(1) << 61));
    if (unfinished_)
      Simulator::Run();
    for (uint32_t f = 0; f < flows_.size(); f++)
      end[f] = static_cast<uint64_t>(flows_[f].end.GetTimeStep());
    return unfinished_ ? status_ : TS_PACKET_DONE;
  }

  void Arrived(const Packet &packet, Label label) {
    if (!(++arrivals_ % 65536) &&
        !ts_tick(job_.progress, "packets",
                 std::min(1., static_cast<double>(arrivals_) / expected_)))
      return End(TS_PACKET_STOPPED);
    if (static_cast<double>(arrivals_) > kGiveUp * (expected_ + 1000))
      return End(TS_PACKET_LOST);
    if (++label.hop == flows_[label.flow].of->hops)
      Deliver(label);
    else
      Forward(packet, label);
  }

 private:
  void AddLink(uint32_t l) {
    const ts_packet_link &link = job_.links[l];
    Ptr<PointToPointChannel> channel = CreateObject<PointToPointChannel>();
    channel->SetAttribute("Delay", TimeValue(Picoseconds(link.latency)));
    for (uint32_t d = 0; d < 2; d++) {
      Port &port = ports_[2 * l + d], &back = ports_[2 * l + 1 - d];
      port.simulation = this;
      port.sender = CreateObject<PointToPointNetDevice>();
      port.queue = CreateObject<DropTailQueue<Packet>>();
      port.queue->SetMaxSize(
        QueueSize(QueueSizeUnit::BYTES, UINT32_MAX)); // what is full is for us to say
      port.limit = link.queue < UINT32_MAX ? static_cast<uint32_t>(link.queue) : UINT32_MAX;
      port.mark_from = with_.mark_from * 1e-12 * link.rate;
      port.mark_to = with_.mark_to * 1e-12 * link.rate;
      port.sender->SetNode(nodes_[d ? link.to : link.from]);
      port.sender->SetDataRate(DataRate(static_cast<uint64_t>(std::llround(8 * link.rate))));
      port.sender->SetQueue(port.queue);
      port.sender->Attach(channel);
      port.sender->SetReceiveCallback(MakeCallback(&Port::Arrived, &back));
    }
  }

  void AddFlow(uint32_t f) {
    const ts_packet_flow &of = job_.flows[f];
    Flow flow;
    flow.of = &of;
    flow.rate = flow.target = of.line;
    flow.next = flow.cut = flow.stepped = Picoseconds(of.start);
    for (uint32_t h = 0; h < of.hops; h++)
      flow.propagation += Picoseconds(job_.links[of.path[h] / 2].latency);
    flows_.push_back(flow);
    parts_[of.part].push_back(f);
    uint32_t &nic = nic_of_[of.path[0]];
    if (!nic) {
      nics_.emplace_back();
      nic = static_cast<uint32_t>(nics_.size());
      nics_.back().next = Simulator::ScheduleNow(&Simulation::Serve, this, nic - 1);
    }
    nics_[nic - 1].flows.push_back(f);
    unfinished_++;
  }

  void End(ts_packet_status status) {
    status_ = status;
    Simulator::Stop();
  }

  // ---- Senders ----

  uint64_t Behind(uint32_t part) const { // bytes that all flows of a part have through
    uint64_t least = UINT64_MAX;
    for (uint32_t f : parts_[part])
      least =
        std::min(least, flows_[f].received < flows_[f].of->bytes ? flows_[f].received : UINT64_MAX);
    return least;
  }

  bool MaySend(const Flow &flow, uint64_t behind) const
  {
    return !flow.going_back && flow.sent < flow.of->bytes &&
           flow.sent - std::min(flow.sent, behind) < with_.buffer;
  }

  // One packet of the next flow whose turn it is; or nothing until one may send.
  void Serve(uint32_t n) {
    Nic &nic = nics_[n];
    Time now = Simulator::Now(), wait = Time::Max();
    for (size_t i = 0; i < nic.flows.size(); i++) {
      size_t place = (nic.turn + i) % nic.flows.size();
      Flow &flow = flows_[nic.flows[place]];
      if (!MaySend(flow, behind_[flow.of->part]))
        continue;
      if (flow.next <= now) {
        nic.turn = (place + 1) % nic.flows.size();
        nic.free = now + Send(nic.flows[place]);
        nic.next = Simulator::Schedule(nic.free - now, &Simulation::Serve, this, n);
        return;
      }
      wait = std::min(wait, flow.next);
    }
    if (wait < Time::Max())
      nic.next = Simulator::Schedule(wait - now, &Simulation::Serve, this, n);
  }

  void Wake(const Flow &flow) {
    uint32_t n = nic_of_[flow.of->path[0]] - 1;
    if (Simulator::Now() < nics_[n].free)
      return; // it looks for the next one by itself
    nics_[n].next.Cancel();
    nics_[n].next = Simulator::ScheduleNow(&Simulation::Serve, this, n);
  }

  // How long the packet is on its first link.
  Time Send(uint32_t f) {
    Flow &flow = flows_[f];
    Port &port = ports_[flow.of->path[0]];
    Label label;
    label.at = flow.sent;
    label.flow = f;
    label.size = static_cast<uint32_t>(std::min<uint64_t>(with_.mtu, flow.of->bytes - flow.sent));
    label.epoch = flow.epoch;
    uint32_t size = label.size + with_.header;
    Ptr<Packet> packet = Create<Packet>(size - kInDevice);
    packet->AddPacketTag(label);
    flow.sent += label.size;
    flow.next = Simulator::Now() + Rounded(1e12 * size / Rate(flow));
    port.sender->Send(packet, any_, kProtocol);
    return Rounded(1e12 * size / job_.links[flow.of->path[0] / 2].rate);
  }

  // Steps are taken when somebody asks for the rate.
  double Rate(Flow &flow) {
    const double line = flow.of->line;
    Time now = Simulator::Now();
    for (; flow.rate < line && flow.stepped + timer_ <= now; flow.stepped += timer_) {
      if (++flow.stage > kFastSteps)
        flow.target = std::min(flow.target + with_.step * line, line);
      flow.rate = (flow.rate + flow.target) / 2;
      if (flow.rate > 0.9999 * line)
        flow.rate = flow.target = line;
    }
    return flow.rate;
  }

  void Reported(uint32_t f) {
    Flow &flow = flows_[f];
    Time now = Simulator::Now();
    double rate = Rate(flow),
           quiet = std::floor(static_cast<double>((now - flow.cut).GetTimeStep()) /
                              static_cast<double>(with_.timer));
    flow.alpha = std::pow(1 - with_.gain, quiet + 1) * flow.alpha + with_.gain;
    if (flow.stage)
      flow.target = rate;
    flow.rate = std::max(rate * (1 - flow.alpha / 2), flow.of->line / 1000);
    flow.cut = flow.stepped = now;
    flow.stage = 0;
  }

  void GoBack(uint32_t f) {
    Flow &flow = flows_[f];
    flow.epoch++;
    flow.going_back = false;
    flow.sent = flow.received;
    Wake(flow);
  }

  // ---- Switches ----

  bool Marks(const Port &port, uint32_t waiting) {
    if (waiting <= port.mark_from)
      return false;
    if (waiting > port.mark_to)
      return true;
    double share = with_.mark_share * (waiting - port.mark_from) / (port.mark_to - port.mark_from);
    return static_cast<double>(random_() >> 11) * 0x1p-53 < share;
  }

  void Forward(const Packet &arrived, Label &label) {
    Flow &flow = flows_[label.flow];
    Port &port = ports_[flow.of->path[label.hop]];
    uint32_t waiting = port.queue->GetNBytes();
    if (port.limit != UINT32_MAX &&
        static_cast<uint64_t>(waiting) + arrived.GetSize() > port.limit) {
      if (label.epoch == flow.epoch && !flow.going_back) {
        flow.going_back = true;
        Simulator::Schedule(flow.propagation + flow.propagation, &Simulation::GoBack, this,
                            label.flow);
      }
      return;
    }
    label.marked |= Marks(port, waiting);
    Ptr<Packet> packet = arrived.Copy();
    packet->ReplacePacketTag(label);
    port.sender->Send(packet, any_, kProtocol);
  }

  // ---- Receivers ----

  void Deliver(const Label &label) {
    Flow &flow = flows_[label.flow];
    Time now = Simulator::Now();
    if (label.marked && now >= flow.report_after) {
      flow.report_after = now + Picoseconds(with_.report);
      Simulator::Schedule(flow.propagation, &Simulation::Reported, this, label.flow);
    }
    if (label.at != flow.received)
      return; // one before it was lost
    flow.received += label.size;
    if (flow.received == flow.of->bytes) {
      flow.end = now;
      if (!--unfinished_)
        Simulator::Stop();
    }
    Advance(flow, label.size);
  }

  // Credits are given an eighth of the buffer at a time, as NCCL's buffers have eight slots.
  void Advance(const Flow &flow, uint32_t size) {
    uint64_t slot = std::max<uint64_t>(with_.buffer / 8, 1);
    if (flow.received / slot == (flow.received - size) / slot && flow.received < flow.of->bytes)
      return;
    uint64_t behind = Behind(flow.of->part);
    if (behind == behind_[flow.of->part])
      return;
    behind_[flow.of->part] = behind;
    for (uint32_t f : parts_[flow.of->part])
      Wake(flows_[f]);
  }

  const ts_packet_job &job_;
  const ts_ir_net_packets &with_;
  std::vector<Ptr<Node>> nodes_;
  std::vector<Port> ports_;
  std::vector<Flow> flows_;
  std::vector<Nic> nics_;
  std::vector<uint32_t> nic_of_; // by directed link: plus 1
  std::vector<std::vector<uint32_t>> parts_;
  std::vector<uint64_t> behind_ = std::vector<uint64_t>(parts_.size());
  const Time timer_ = Picoseconds(with_.timer);
  std::mt19937_64 random_{1};
  const Address any_;
  double expected_; // arrivals, if nothing is lost
  uint64_t arrivals_ = 0;
  uint32_t unfinished_ = 0;
  ts_packet_status status_ = TS_PACKET_LOST;
};

bool Port::Arrived(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address &) {
  Label label;
  packet->PeekPacketTag(label);
  simulation->Arrived(*packet, label);
  return true;
}

} // namespace

ts_packet_status ts_packet_ns3_play(const ts_packet_job *job, uint64_t *end)
{
  static const bool counts_picoseconds =
    (Time::SetResolution(Time::PS), true); // once in a process: a packet takes 9 ns on fast links
  (void)counts_picoseconds;
  ts_packet_status status;
  {
    Simulation simulation(job);
    status = simulation.Play(end);
    Simulator::Destroy();
  }
  return status;
}
