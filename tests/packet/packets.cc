// Messages as packets (ns-3): senders that pace their packets as an RDMA NIC does, switches with queues that mark (ECN), receivers that report marks, and rates that
// follow these reports as in DCQCN (Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015). Reads a case on standard input, lines of
//   link FROM TO GBPS US   and   flow FROM TO BYTES; prints when each flow has arrived, in ms.
#include <iostream>
#include <string>
#include <vector>

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

using namespace ns3;

static const uint32_t kPayload = 4096, kHeader = 20 + 8 + 2; // IP, UDP, PPP

class Flow : public Object {
 public:
  Flow(Ptr<Node> from, Ptr<Node> to, Ipv4Address address, uint16_t port, uint64_t bytes, double line) : left_(bytes), missing_(bytes), line_(line), rate_(line), target_(line) {
    receiver_ = Socket::CreateSocket(to, UdpSocketFactory::GetTypeId());
    receiver_->SetIpRecvTos(true);
    receiver_->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    receiver_->SetRecvCallback(MakeCallback(&Flow::Receive, this));
    sender_ = Socket::CreateSocket(from, UdpSocketFactory::GetTypeId());
    sender_->Connect(InetSocketAddress(address, port));
    sender_->SetIpTos(2); // ECT(0)
    Simulator::ScheduleNow(&Flow::Send, this);
    timer_ = Simulator::Schedule(MicroSeconds(kTimer), &Flow::Increase, this);
  }
  double end = 0; // s

 private:
  // Times in us, as the paper has them; the gain is that of DCQCN (Zhu et al., SIGCOMM 2015: g = 1/256), the step, bit/s, is for links of 80 Gb/s.
  static constexpr double kTimer = 55, kReports = 50, kGain = 1. / 256, kStep = 1e9;

  void Send() {
    uint32_t size = left_ < kPayload ? (uint32_t)left_ : kPayload;
    sender_->Send(Create<Packet>(size));
    left_ -= size;
    if (left_)
      Simulator::Schedule(Seconds(8. * (size + kHeader) / rate_), &Flow::Send, this);
  }

  void Receive(Ptr<Socket> socket) {
    while (Ptr<Packet> packet = socket->Recv()) {
      SocketIpTosTag tos;
      missing_ -= packet->GetSize();
      if (packet->PeekPacketTag(tos) && (tos.GetTos() & 3) == 3 && Simulator::Now() >= next_report_) {
        next_report_ = Simulator::Now() + MicroSeconds(kReports);
        Simulator::Schedule(MicroSeconds(5), &Flow::Reported, this);
      }
      if (!missing_) {
        end = Simulator::Now().GetSeconds();
        timer_.Cancel();
      }
    }
  }

  void Reported() {
    target_ = rate_;
    alpha_ = (1 - kGain) * alpha_ + kGain;
    rate_ = std::max(rate_ * (1 - alpha_ / 2), line_ / 1000);
    stage_ = 0;
    quiet_ = false;
  }

  void Increase() {
    if (quiet_)
      alpha_ *= 1 - kGain;
    quiet_ = true;
    if (++stage_ > 5)
      target_ = std::min(target_ + kStep, line_);
    rate_ = (rate_ + target_) / 2;
    timer_ = Simulator::Schedule(MicroSeconds(kTimer), &Flow::Increase, this);
  }

  Ptr<Socket> sender_, receiver_;
  uint64_t left_, missing_;
  double line_, rate_, target_, alpha_ = 1;
  int stage_ = 0;
  bool quiet_ = true;
  Time next_report_;
  EventId timer_;
};

int main() {
  std::vector<Ptr<Node>> nodes;
  std::vector<Ipv4Address> address;
  std::vector<double> line;
  std::vector<Ptr<Flow>> flows;
  InternetStackHelper internet;
  Ipv4AddressHelper ip;
  ip.SetBase("10.0.0.0", "255.255.255.252");
  TrafficControlHelper queues;
  queues.SetRootQueueDisc("ns3::RedQueueDisc", "UseEcn", BooleanValue(true), "UseHardDrop", BooleanValue(false), "MinTh", DoubleValue(25), "MaxTh", DoubleValue(100), "LInterm",
                          DoubleValue(100), "QW", DoubleValue(1), "MaxSize", StringValue("20000p"), "LinkBandwidth", StringValue("10Gbps"), "MeanPktSize", UintegerValue(kPayload));
  auto node = [&](uint32_t i) {
    while (nodes.size() <= i) {
      nodes.push_back(CreateObject<Node>());
      internet.Install(nodes.back());
      address.push_back(Ipv4Address());
      line.push_back(0);
    }
    return nodes[i];
  };
  std::string word;
  bool routed = false;
  while (std::cin >> word) {
    uint32_t from, to;
    double a, b;
    if (word == "link" && std::cin >> from >> to >> a >> b) {
      PointToPointHelper wire;
      node(std::max(from, to));
      wire.SetDeviceAttribute("DataRate", DataRateValue(DataRate((uint64_t)(a * 8e9))));
      wire.SetDeviceAttribute("Mtu", UintegerValue(9000));
      wire.SetChannelAttribute("Delay", TimeValue(NanoSeconds((uint64_t)(b * 1e3))));
      wire.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("2p"));
      NetDeviceContainer both = wire.Install(nodes[from], nodes[to]);
      queues.Install(both);
      Ipv4InterfaceContainer ends = ip.Assign(both);
      ip.NewNetwork();
      address[from] = ends.GetAddress(0);
      address[to] = ends.GetAddress(1);
      line[from] = line[to] = a * 8e9;
    } else if (word == "flow" && std::cin >> from >> to >> a) {
      if (!routed)
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
      routed = true;
      flows.push_back(Create<Flow>(nodes[from], nodes[to], address[to], (uint16_t)(1000 + flows.size()), (uint64_t)a, line[from]));
    }
  }
  Simulator::Stop(Seconds(10));
  Simulator::Run();
  for (auto &f : flows)
    std::cout << f->end * 1e3 << "\n";
  Simulator::Destroy();
}
